import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { times } from '../../../../test/deep.ts'
import { built } from './programs.ts'
import { cannotCompile, sanitized, sanitizedHost, UNDEFINED } from './sanitized.ts'

/** Long enough to compile the engine once. */
const TIMEOUT = 300_000

/** Random byte strings, many of them almost UTF-8. */
function* byteStrings(count: number): Generator<Uint8Array<ArrayBuffer>> {
  let state = 1
  const draw = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
  const leads = [0x41, 0x7f, 0x80, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff]
  const seconds = [0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc2]
  for (const first of leads) for (const second of seconds) yield Uint8Array.of(first, second)
  for (const lead of leads)
    for (const second of seconds) for (const third of seconds) yield Uint8Array.of(lead, second, third, 0x80)
  for (let i = 0; i < count; i++) {
    yield Uint8Array.from({ length: draw(40) }, () => [leads, seconds, [0x62], [draw(256)]][draw(4)]?.[draw(8)] ?? 0x80)
  }
}

function record(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}

function isValid(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

describe.skipIf(cannotCompile)('the C of the host under AddressSanitizer and UBSan', () => {
  const strings = times(2000)
  it(`decodes ${strings} random byte strings like Node's TextDecoder`, { timeout: TIMEOUT }, () => {
    const inputs = [...byteStrings(strings)]
    const { stdout, stderr, status } = spawnSync(sanitized('fuzz-utf8', ['utf8']), {
      input: Buffer.concat(inputs.map(record)),
      maxBuffer: 1e8,
    })
    expect(stderr.toString()).toBe('')
    expect(status).toBe(0)
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    let at = 0
    for (const bytes of inputs) {
      const [valid, size] = [stdout.readUInt32LE(at), stdout.readUInt32LE(at + 4)]
      const repaired = stdout.subarray(at + 8, at + 8 + size)
      at += 8 + size
      const hex = Buffer.from(bytes).toString('hex')
      expect([hex, repaired.toString('utf8')]).toEqual([hex, decoder.decode(bytes)])
      expect([hex, valid === bytes.length]).toEqual([hex, isValid(bytes)])
      expect([hex, isValid(bytes.subarray(0, valid))]).toEqual([hex, true])
    }
    expect(at).toBe(stdout.length)
  })

  it.skipIf(!built)('survives damaged ELF files', { timeout: TIMEOUT }, () => {
    const program = sanitized('fuzz-image', ['image'])
    const { stdout, stderr } = spawnSync(program, [built || '', '1', String(times(20_000))], { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(Number(stdout)).toBeGreaterThan(1000)
  })

  it('keeps 100 000 blocks of the arena separate', { timeout: TIMEOUT }, () => {
    const { stdout, stderr } = spawnSync(sanitized('fuzz-arena', ['arena'], UNDEFINED), { encoding: 'utf8' })
    expect([stdout, stderr]).toEqual(['fine\n', ''])
  })

  it('survives 40 000 calls of its functions with invalid values', { timeout: TIMEOUT }, () => {
    const { stdout, stderr } = spawnSync(sanitizedHost(), [join(import.meta.dirname, 'fuzz-host.js')], {
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(stdout).toBe('done\n')
  })
})
