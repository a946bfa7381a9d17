/** Bytes of a rule's expressions as a string, with counters set to zero. Equal strings mean equal rules. */
export function formIn(bytes: Buffer): string {
  let isCopied = false
  for (const at of elementsIn(bytes)) {
    if (!isCounter(bytes, at)) continue
    if (!isCopied) copyToScratch(bytes)
    isCopied = true
    scratch.fill(0, at + BYTES, at + BYTES + COUNT).fill(0, at + PACKETS, at + PACKETS + COUNT)
  }
  return isCopied ? scratch.toString('latin1', 0, bytes.length) : bytes.toString('latin1')
}

/** Byte offset of each expression in a rule's netlink bytes. */
export function elementsIn(bytes: Buffer): number[] {
  const starts: number[] = []
  for (let at = 0; at + NAME <= bytes.length; ) {
    const length = bytes.readUInt16LE(at)
    if (length < NAME || at + length > bytes.length) return []
    starts.push(at)
    at += (length + 3) & ~3
  }
  return starts
}

/** Name of the expression at a byte offset of a rule. */
export const nameIn = (bytes: Buffer, at: number): string =>
  bytes.toString('latin1', at + NAME, at + HEADER + bytes.readUInt16LE(at + HEADER) - 1)

// internal

/** Shared scratch buffer, which avoids a new copy for each rule. */
let scratch = Buffer.alloc(1024)

function copyToScratch(bytes: Buffer): void {
  if (scratch.length < bytes.length) scratch = Buffer.alloc(2 * bytes.length)
  scratch.set(bytes)
}

// Offsets and lengths in a counter expression: [element [name "counter"] [data [bytes] [packets]]].

const HEADER = 4
const NAME = 8
const BYTES = 24
const PACKETS = 36
const COUNT = 8
const END = 44

const isCounter = (bytes: Buffer, at: number) => bytes.readUInt16LE(at) === END && nameIn(bytes, at) === 'counter'
