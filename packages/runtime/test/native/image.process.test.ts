import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { build, built } from './programs.ts'

interface Header {
  readonly type: number
  readonly flags: number
  readonly offset: bigint
  readonly address: bigint
  readonly fileSize: bigint
  readonly memorySize: bigint
  readonly align: bigint
}
const [LOAD, INTERP, NOTE, GNU_STACK] = [1, 3, 4, 0x6474e551]
const [EXECUTE, WRITE, READ] = [1, 2, 4]

function headersOf(elf: Buffer): Header[] {
  const [start, count] = [Number(elf.readBigUInt64LE(32)), elf.readUInt16LE(56)]
  return Array.from({ length: count }, (_, i) => {
    const at = start + 56 * i
    const [type, flags] = [elf.readUInt32LE(at), elf.readUInt32LE(at + 4)]
    const [offset, address, fileSize, memorySize, align] = [8, 16, 32, 40, 48].map((o) => elf.readBigUInt64LE(at + o))
    if (
      offset === undefined ||
      address === undefined ||
      fileSize === undefined ||
      memorySize === undefined ||
      align === undefined
    ) {
      throw new Error('an array of five has five members')
    }
    return { type, flags, offset, address, fileSize, memorySize, align }
  })
}

const made = (processor: string) => {
  const path = built.replace('linux-x64', `linux-${processor}`)
  return { path, elf: () => readFileSync(path) }
}

describe.skipIf(!built)('a program file', () => {
  const elf = built ? readFileSync(build('host.main = () => {}').program) : Buffer.alloc(64)
  const headers = headersOf(elf)
  const loads = headers.filter(({ type }) => type === LOAD)
  const image = loads.at(-1)

  it('has its image below 2^38, on a page of 64 KiB, in memory and in the file', () => {
    expect(image?.address).toBeLessThan(2n ** 38n)
    expect((image?.address ?? 1n) % 0x10000n).toBe(0n)
    expect((image?.offset ?? 1n) % 0x10000n).toBe(0n)
    expect(image?.align).toBe(0x10000n)
    expect((image?.offset ?? 0n) + (image?.fileSize ?? 0n)).toBe(BigInt(elf.length))
    expect((image?.memorySize ?? 0n) - (image?.fileSize ?? 0n)).toBeGreaterThanOrEqual(64n << 20n)
  })

  it('has no memory that is writable and executable, and no executable stack', () => {
    for (const { flags } of loads) expect(flags & (EXECUTE | WRITE)).not.toBe(EXECUTE | WRITE)
    expect(image?.flags).toBe(READ | WRITE)
    expect(headers.find(({ type }) => type === GNU_STACK)?.flags).toBe(READ | WRITE)
  })

  it('is static, with its segments in the order of their addresses', () => {
    expect(headers.some(({ type }) => type === INTERP)).toBe(false)
    const addresses = loads.map(({ address }) => address)
    expect(addresses).toEqual(addresses.toSorted((a, b) => (a < b ? -1 : 1)))
  })

  it('records its versions in a note', () => {
    const note = headers.find(({ type }) => type === NOTE)
    const at = Number(note?.offset)
    expect([elf.readUInt32LE(at), elf.readUInt32LE(at + 8)]).toEqual([4, 1])
    expect(elf.toString('latin1', at + 12, at + 16)).toBe('CNI\0')
    const versions = JSON.parse(elf.toString('utf8', at + 16, at + 16 + elf.readUInt32LE(at + 4)))
    expect(versions).toMatchObject({ runtime: '0.1.0', quickjs: '2025-04-26', musl: '1.2.5', arch: 'x64' })
  })

  it('does not contain the JavaScript parser', () => {
    const { path } = made('x64')
    expect(readFileSync(path.replace('cni-runtime', 'cni-compile')).includes('unexpected token in expression')).toBe(
      true,
    )
    expect(elf.includes('unexpected token in expression')).toBe(false)
  })

  it.each(['x64', 'arm64'])('is based on cni-runtime of %s, which has a spare header and no image', (processor) => {
    const { elf: read, path } = made(processor)
    let bytes: Buffer
    try {
      bytes = read()
    } catch {
      return // not built on this machine
    }
    const all = headersOf(bytes)
    expect(
      all.filter(({ address }) => address >= 0x2000000000n),
      path,
    ).toEqual([])
    expect(all.some(({ type }) => type === 0x6474e552)).toBe(true)
    for (const { type, flags } of all) if (type === LOAD) expect(flags & (EXECUTE | WRITE)).not.toBe(EXECUTE | WRITE)
  })
})
