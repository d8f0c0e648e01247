/**
 * The schema that a node answers GraphQL by: EIP-1767 with GoQuorum's fields of private
 * transactions (GoQuorum graphql/schema.go).
 */
import { buildSchema, type GraphQLSchema, isScalarType } from 'graphql';
import { SCALARS } from './scalars.ts';

const SDL = `
"32 bytes, as hex digits after 0x"
scalar Bytes32
"20 bytes, as hex digits after 0x"
scalar Address
"Any number of bytes, as hex digits after 0x"
scalar Bytes
"An integer of any size: taken as a number, as decimal text or as hex after 0x; answered as hex"
scalar BigInt
"An integer of 64 bits: taken as a number, as decimal text or as hex after 0x"
scalar Long

schema {
  query: Query
  mutation: Mutation
}

"An account, as it stood after a block"
type Account {
  address: Address!
  "In wei"
  balance: BigInt!
  "The nonce: how many transactions it has sent, or contracts it has made"
  transactionCount: Long!
  "Empty, but for contracts"
  code: Bytes!
  storage(slot: Bytes32!): Bytes32!
}

"An event of a contract"
type Log {
  "Its place among the logs of its block"
  index: Int!
  "The contract that wrote it"
  account(block: Long): Account!
  "None to four"
  topics: [Bytes32!]!
  data: Bytes!
  transaction: Transaction!
}

"What a transaction says beforehand that it will touch (EIP-2930)"
type AccessTuple {
  address: Address!
  storageKeys: [Bytes32!]
}

"A transaction, in a block or waiting for one"
type Transaction {
  hash: Bytes32!
  nonce: Long!
  "Its place in its block; null while it waits"
  index: Int
  from(block: Long): Account!
  "null: it makes a contract"
  to(block: Long): Account
  "In wei"
  value: BigInt!
  "In wei per unit of gas"
  gasPrice: BigInt!
  "The most gas that it may use"
  gas: Long!
  inputData: Bytes!
  "null while it waits"
  block: Block
  "1: it succeeded, 0: it failed; null while it waits"
  status: Long
  gasUsed: Long
  "Gas of its block up to its end"
  cumulativeGasUsed: Long
  "null, unless it made a contract"
  createdContract(block: Long): Account
  logs: [Log!]
  "Whether it is a private transaction"
  isPrivate: Boolean
  "What a private transaction carries, in clear; 0x for whoever is no party to it"
  privateInputData: Bytes
  "The private transaction inside a privacy marker; null for whoever is no party to it"
  privateTransaction: Transaction
  r: BigInt!
  s: BigInt!
  v: BigInt!
  "Of its envelope (EIP-2718)"
  type: Int
  accessList: [AccessTuple!]
}

"Which logs of one block are wanted"
input BlockFilterCriteria {
  "Any of these contracts; all where there is none"
  addresses: [Address!]
  "By position: any of these topics, or any topic where there is none"
  topics: [[Bytes32!]!]
}

"A block of the chain"
type Block {
  number: Long!
  hash: Bytes32!
  parent: Block
  nonce: Bytes!
  transactionsRoot: Bytes32!
  transactionCount: Int
  stateRoot: Bytes32!
  receiptsRoot: Bytes32!
  "Who made it"
  miner(block: Long): Account!
  extraData: Bytes!
  gasLimit: Long!
  gasUsed: Long!
  "Unix time; in nanoseconds on a Raft chain"
  timestamp: Long!
  logsBloom: Bytes!
  mixHash: Bytes32!
  difficulty: BigInt!
  totalDifficulty: BigInt!
  "0: blocks are final, none is left beside the chain"
  ommerCount: Int
  ommers: [Block]
  ommerAt(index: Int!): Block
  ommerHash: Bytes32!
  transactions: [Transaction!]
  transactionAt(index: Int!): Transaction
  logs(filter: BlockFilterCriteria!): [Log!]!
  account(address: Address!): Account!
  "Runs a message on the state after the block without changing it"
  call(data: CallData!): CallResult
  "Gas that such a transaction needs"
  estimateGas(data: CallData!): Long!
}

"A message; each part may be left out"
input CallData {
  from: Address
  to: Address
  gas: Long
  gasPrice: BigInt
  value: BigInt
  data: Bytes
}

"What came of a message"
type CallResult {
  data: Bytes!
  gasUsed: Long!
  "1: it succeeded, 0: it failed"
  status: Long!
}

"Which logs are wanted"
input FilterCriteria {
  "The newest block unless given"
  fromBlock: Long
  "The newest block unless given"
  toBlock: Long
  "Any of these contracts; all where there is none"
  addresses: [Address!]
  "By position: any of these topics, or any topic where there is none"
  topics: [[Bytes32!]!]
}

"How far a node is behind"
type SyncState {
  startingBlock: Long!
  currentBlock: Long!
  highestBlock: Long!
  pulledStates: Long
  knownStates: Long
}

"The block that would be made now"
type Pending {
  transactionCount: Int!
  transactions: [Transaction!]
  account(address: Address!): Account!
  call(data: CallData!): CallResult
  estimateGas(data: CallData!): Long!
}

type Query {
  "By number or by hash; the newest where neither is given"
  block(number: Long, hash: Bytes32): Block
  "From one to another, both included; to the newest where \`to\` is left out"
  blocks(from: Long, to: Long): [Block!]!
  pending: Pending!
  transaction(hash: Bytes32!): Transaction
  logs(filter: FilterCriteria!): [Log!]!
  gasPrice: BigInt!
  "null while the node is in step with the network"
  syncing: SyncState
  chainID: BigInt!
}

type Mutation {
  "Takes a signed transaction; answers its hash once it is durable"
  sendRawTransaction(data: Bytes!): Bytes32!
}
`;

function makeSchema(): GraphQLSchema {
  const schema = buildSchema(SDL);
  for (const [name, coercion] of Object.entries(SCALARS)) {
    const type = schema.getType(name);
    if (isScalarType(type)) Object.assign(type, coercion);
  }
  return schema;
}

export const SCHEMA: GraphQLSchema = makeSchema();
