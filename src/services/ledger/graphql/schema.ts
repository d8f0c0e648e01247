/**
 * The GraphQL schema of a node: EIP-1767 with GoQuorum's fields of private transactions (GoQuorum
 * graphql/schema.go).
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
"An integer of any size: accepted as a number, decimal text or 0x hex; returned as hex"
scalar BigInt
"A 64-bit integer: accepted as a number, decimal text or 0x hex"
scalar Long

schema {
  query: Query
  mutation: Mutation
}

"An account, as it was after a block"
type Account {
  address: Address!
  "In wei"
  balance: BigInt!
  "The nonce: number of transactions sent, or of contracts created"
  transactionCount: Long!
  "Empty except for contracts"
  code: Bytes!
  storage(slot: Bytes32!): Bytes32!
}

"An event of a contract"
type Log {
  "Its index among the logs of its block"
  index: Int!
  "The contract that emitted it"
  account(block: Long): Account!
  "None to four"
  topics: [Bytes32!]!
  data: Bytes!
  transaction: Transaction!
}

"An entry of a transaction's access list (EIP-2930)"
type AccessTuple {
  address: Address!
  storageKeys: [Bytes32!]
}

"A transaction, in a block or waiting for one"
type Transaction {
  hash: Bytes32!
  nonce: Long!
  "Its index in its block; null while pending"
  index: Int
  from(block: Long): Account!
  "null: it creates a contract"
  to(block: Long): Account
  "In wei"
  value: BigInt!
  "In wei per unit of gas"
  gasPrice: BigInt!
  "Its gas limit"
  gas: Long!
  inputData: Bytes!
  "null while pending"
  block: Block
  "1: it succeeded, 0: it failed; null while pending"
  status: Long
  gasUsed: Long
  "Gas used in the block up to and including it"
  cumulativeGasUsed: Long
  "null, unless it created a contract"
  createdContract(block: Long): Account
  logs: [Log!]
  "Whether it is a private transaction"
  isPrivate: Boolean
  "The clear payload of a private transaction; 0x for strangers"
  privateInputData: Bytes
  "The private transaction inside a privacy marker; null for strangers"
  privateTransaction: Transaction
  r: BigInt!
  s: BigInt!
  v: BigInt!
  "Of its envelope (EIP-2718)"
  type: Int
  accessList: [AccessTuple!]
}

"Selects logs of one block"
input BlockFilterCriteria {
  "Any of these contracts; default: all"
  addresses: [Address!]
  "By position: any of these topics; an empty list matches any topic"
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
  "Who produced it"
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
  "0: blocks are final, there are no ommers"
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
  "Estimates the gas that the transaction needs"
  estimateGas(data: CallData!): Long!
}

"A message; each part is optional"
input CallData {
  from: Address
  to: Address
  gas: Long
  gasPrice: BigInt
  value: BigInt
  data: Bytes
}

"Result of a message"
type CallResult {
  data: Bytes!
  gasUsed: Long!
  "1: it succeeded, 0: it failed"
  status: Long!
}

"Selects logs"
input FilterCriteria {
  "Default: the newest block"
  fromBlock: Long
  "Default: the newest block"
  toBlock: Long
  "Any of these contracts; default: all"
  addresses: [Address!]
  "By position: any of these topics; an empty list matches any topic"
  topics: [[Bytes32!]!]
}

"Sync progress of a node"
type SyncState {
  startingBlock: Long!
  currentBlock: Long!
  highestBlock: Long!
  pulledStates: Long
  knownStates: Long
}

"The block that would be built now"
type Pending {
  transactionCount: Int!
  transactions: [Transaction!]
  account(address: Address!): Account!
  call(data: CallData!): CallResult
  estimateGas(data: CallData!): Long!
}

type Query {
  "By number or by hash; default: the newest"
  block(number: Long, hash: Bytes32): Block
  "A range, both ends included; \`to\` defaults to the newest"
  blocks(from: Long, to: Long): [Block!]!
  pending: Pending!
  transaction(hash: Bytes32!): Transaction
  logs(filter: FilterCriteria!): [Log!]!
  gasPrice: BigInt!
  "null while the node is in sync"
  syncing: SyncState
  chainID: BigInt!
}

type Mutation {
  "Submits a signed transaction; returns its hash once it is durable"
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
