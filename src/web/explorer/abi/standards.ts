/** Interfaces of tokens: EIP-20, EIP-721, EIP-1155. */
import { type Abi, type AbiEvent, parseAbi } from 'viem';

const COMMON = [
  'function name() view returns (string)',
  'function symbol() view returns (string)',
] as const;

const ERC20 = parseAbi([
  ...COMMON,
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
]);

const ERC721 = parseAbi([
  ...COMMON,
  'function balanceOf(address owner) view returns (uint256)',
  'function ownerOf(uint256 id) view returns (address)',
  'function tokenURI(uint256 id) view returns (string)',
  'function safeTransferFrom(address from, address to, uint256 id)',
  'function setApprovalForAll(address operator, bool approved)',
  'function supportsInterface(bytes4 id) view returns (bool)',
]);

const ERC1155 = parseAbi([
  'function balanceOf(address owner, uint256 id) view returns (uint256)',
  'function uri(uint256 id) view returns (string)',
  'function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)',
  'function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)',
  'function setApprovalForAll(address operator, bool approved)',
]);

const BY_KIND = { 'ERC-20': ERC20, 'ERC-721': ERC721, 'ERC-1155': ERC1155 } as const;

export function abiOfToken(kind: keyof typeof BY_KIND): Abi {
  return BY_KIND[kind];
}

/** The functions of all of them, to decode calls when the contract's ABI is unknown. */
export const STANDARD_ABI = [...ERC20, ...ERC721, ...ERC1155] as const;

/** `Transfer` of EIP-20 and of EIP-721 differ in their indexed parameters. */
export const STANDARD_EVENTS = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
]).concat(
  parseAbi([
    'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
    'event Approval(address indexed owner, address indexed approved, uint256 indexed id)',
  ]) as never,
) as readonly AbiEvent[];
