import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type AttachmentKey, attachmentStore, isStateError, StateError, type StateFolder } from '@cni/skel'
import { memoryStateFolder } from '@cni/skel/testing'
import { cniErrorKey } from '@cni/types'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import * as classic from 'zod'
import * as z from 'zod/mini'
import { tempFolder } from '../../test/temp-folder.ts'

const schema = z.object({ mac: z.string(), mark: z._default(z.int(), 1) })
const key: AttachmentKey = { network: 'pods', containerID: 'abc', ifName: 'eth0' }
const state = { mac: '02:00:00:00:00:01', mark: 7 }

let base: string
let folder: string
beforeEach(() => {
  base = tempFolder()
  folder = join(base, 'deep/er')
})
const store = () => attachmentStore({ folder, schema })
/** The only file in the folder. */
const file = () => join(folder, readdirSync(folder)[0] ?? '')

describe.each<[kind: string, folderOf: () => string | StateFolder]>([
  ['on disk', () => folder],
  ['in memory', () => memoryStateFolder()],
])('the state of an attachment, %s,', (_kind, folderOf) => {
  const anyStore = () => attachmentStore({ folder: folderOf(), schema })

  test('is read as it was written', () => {
    const kept = anyStore()
    kept.write(key, state)
    expect(kept.read(key)).toEqual(state)
  })

  test('is replaced by a second write, and the undo of the first write restores the original', () => {
    const kept = anyStore()
    kept.write(key, { ...state, mark: 1 })
    const undo = kept.write(key, state)
    kept.replace(key, { ...state, mark: 8 })
    expect(kept.read(key)).toEqual({ ...state, mark: 8 })
    undo()
    expect(kept.read(key)).toEqual({ ...state, mark: 1 })
  })

  test('is undefined if nothing was written', () => {
    const kept = anyStore()
    expect(kept.read(key)).toBeUndefined()
    expect(kept.remove(key)).toBe(false)
    expect(kept.list()).toEqual({ stored: [], unreadable: [] })
    expect(kept.removeStale('pods', [])).toEqual({ stored: [], unreadable: [] })
  })

  test('is removed once', () => {
    const kept = anyStore()
    kept.write(key, state)
    expect([kept.remove(key), kept.remove(key)]).toEqual([true, false])
    expect(kept.read(key)).toBeUndefined()
  })

  test('is restored step by step by the undo functions', () => {
    const kept = anyStore()
    const first = kept.write(key, state)
    const second = kept.write(key, { ...state, mark: 8 })
    second()
    expect(kept.read(key)).toEqual(state)
    first()
    expect(kept.read(key)).toBeUndefined()
  })

  test('is separate from the state of a similar attachment', () => {
    const kept = anyStore()
    kept.write(key, state)
    for (const other of [{ network: 'podsa' }, { containerID: 'abc\0' }, { ifName: 'eth1' }]) {
      expect(kept.read({ ...key, ...other })).toBeUndefined()
    }
  })

  test('is listed, and removed unless it is valid', () => {
    const kept = anyStore()
    const gone = { ...key, containerID: 'gone' }
    const elsewhere = { ...gone, network: 'other' }
    for (const one of [key, gone, elsewhere]) kept.write(one, state)
    expect(kept.list().stored).toHaveLength(3)
    expect(kept.list(({ containerID }) => containerID === 'abc').stored).toEqual([{ key, state }])
    const valid = [{ containerID: 'abc', ifName: 'eth0' }]
    expect(kept.stale('pods', valid)).toEqual({ stored: [{ key: gone, state }], unreadable: [] })
    expect(kept.removeStale('pods', valid).stored).toEqual([{ key: gone, state }])
    expect([key, gone, elsewhere].map((one) => kept.read(one))).toEqual([state, undefined, state])
  })

  test('can have any JSON value, for any names', () => {
    const any = attachmentStore({ folder: folderOf(), schema: z.object({ value: z.unknown() }) })
    const name = fc.string({ unit: 'binary', maxLength: 40 })
    const keys = fc.record({ network: name, containerID: name, ifName: name })
    fc.assert(
      fc.property(keys, fc.jsonValue({ maxDepth: 2 }), (one, value) => {
        any.write(one, { value })
        expect(any.read(one)).toEqual(JSON.parse(JSON.stringify({ value })))
      }),
      { numRuns: 50 },
    )
  })

  test.each<[what: string, written: unknown, message: string]>([
    ['accepted if the schema rejects it', { mac: 5 }, 'state: mac: expected a string, got 5'],
    ['accepted if it is not an object', ['02'], 'state: expected an object, got ["02"]'],
    [
      'accepted if a member has a reserved name',
      { mac: '02', network: 'mine' },
      'state: network is the name of a member',
    ],
  ])('is never %s', (_what, written, message) => {
    const kept = anyStore()
    kept.write(key, state)
    const write = () => kept.write(key, written as typeof state)
    expect(write).toThrow(TypeError)
    expect(write).toThrow(message)
    expect(kept.read(key)).toEqual(state)
  })

  test('is rejected if it is too large to be read again', () => {
    const kept = anyStore()
    const write = () => kept.write(key, { ...state, mac: 'x'.repeat(5_000_000) })
    expect(write).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
    expect(kept.read(key)).toBeUndefined()
  })
})

describe('the file of an attachment', () => {
  test('is readable only by its owner, and named by a digest of the attachment', () => {
    store().write(key, state)
    // Computed by: printf 'pods\0abc\0eth0' | sha256sum | head -c 32
    expect(readdirSync(folder)).toEqual(['0c748313646978d1bb86e2a8df403210.json'])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  })

  test('has a version, the attachment and the members of the state', () => {
    store().write(key, state)
    const text = '{"v":1,"network":"pods","containerID":"abc","ifName":"eth0","mac":"02:00:00:00:00:01","mark":7}\n'
    expect(readFileSync(file(), 'utf8')).toBe(text)
  })

  test('is in a new folder for its owner only; parent folders have the usual mode', () => {
    store().write(key, state)
    expect(statSync(join(base, 'deep')).mode & 0o777).toBe(0o777 & ~process.umask())
  })

  test('is restored byte for byte, also if it was unusable', () => {
    store().write(key, state)
    writeFileSync(file(), '{"v":0}')
    store().write(key, state)()
    expect(readFileSync(file(), 'utf8')).toBe('{"v":0}')
  })

  test('is removed together with a partial file of a killed process, but not with one of a running process', () => {
    store().write(key, state)
    const own = readdirSync(folder)[0]
    const other = `.${'0'.repeat(32)}.json.1a2b3c.tmp`
    for (const half of [`.${own}.4cj10jnsh.tmp`, other]) writeFileSync(join(folder, half), '{"v"')
    store().remove(key)
    expect(readdirSync(folder)).toEqual([other])
  })

  test('partial files are removed after an hour', () => {
    mkdirSync(folder, { recursive: true })
    const [old = '', young = ''] = ['0', '1'].map((digit) => `.${digit.repeat(32)}.json.1a2b3c.tmp`)
    for (const half of [old, young]) writeFileSync(join(folder, half), '{"v"')
    const past = Date.now() / 1000 - 3700
    utimesSync(join(folder, old), past, past)
    store().removeStale('pods', [])
    expect(readdirSync(folder)).toEqual([young])
  })

  test('other files are ignored', () => {
    store().write(key, state)
    writeFileSync(join(folder, 'README'), 'not state')
    expect(store().list().stored).toHaveLength(1)
    store().removeStale('pods', [])
    expect(readdirSync(folder)).toEqual(['README'])
  })
})

describe('an unusable state file is rejected by name, and can be removed', () => {
  const record = { v: 1, ...key, ...state }
  /** Only root can change the owner of a file. */
  const foreign: [string, (path: string) => void, string, string][] =
    process.geteuid?.() === 0
      ? [["another user's", (path) => chownSync(path, 12345, 0), 'INSECURE', 'it belongs to another user (uid 12345)']]
      : []
  const replaced = (by: (path: string) => void) => (path: string) => {
    rmSync(path)
    by(path)
  }
  const text = (content: string) => (path: string) => writeFileSync(path, content)

  test.each<[what: string, spoil: (path: string) => void, code: string, problem: string]>([
    ['empty', text(''), 'INVALID', 'it is not JSON'],
    ['cut off', text(JSON.stringify(record).slice(0, 40)), 'INVALID', 'it is not JSON'],
    ['a list', text('[]'), 'INVALID', 'it is not a JSON object'],
    ['nested too deeply', text('['.repeat(1_000_000)), 'INVALID', 'it is not JSON'],
    ['of another version', text(JSON.stringify({ ...record, v: 2 })), 'VERSION', 'it has version 2, expected 1'],
    ['without a version', text('{}'), 'VERSION', 'it has no version, expected 1'],
    ['without a network', text('{"v":1}'), 'INVALID', 'expected network, containerID and ifName to be strings'],
    [
      'of another shape',
      text(JSON.stringify({ v: 1, ...key, mark: 'x' })),
      'INVALID',
      'mac: missing, expected a string',
    ],
    [
      'of another attachment',
      text(JSON.stringify({ ...record, ifName: 'eth1' })),
      'OTHER_ATTACHMENT',
      'it describes another attachment',
    ],
    ['too large', (path) => truncateSync(path, 4 * 1024 * 1024 + 1), 'TOO_LARGE', 'it has 4194305 bytes'],
    [
      'a link to another record',
      replaced((path) => symlinkSync(`${base}/record`, path)),
      'NOT_A_FILE',
      'it is a symbolic link, which is not followed',
    ],
    ['a link to a device', replaced((path) => symlinkSync('/dev/zero', path)), 'NOT_A_FILE', 'it is a symbolic link'],
    ['writable for others', (path) => chmodSync(path, 0o602), 'INSECURE', 'it may be written by others (mode 602)'],
    ['writable for its group', (path) => chmodSync(path, 0o660), 'INSECURE', 'it may be written by others (mode 660)'],
    ...foreign,
  ])('%s', (_what, spoil, code, problem) => {
    writeFileSync(join(base, 'record'), JSON.stringify(record), { mode: 0o600 })
    store().write(key, state)
    const path = file()
    spoil(path)
    const read = () => store().read(key)
    expect(read).toThrow(`state file ${path}: ${problem}`)
    expect(read).toThrow(expect.objectContaining({ name: 'StateError', code, path }))
    expect(errorOf(read)).toMatchObject({ [cniErrorKey]: { code: 6, details: expect.stringContaining('DEL') } })
    const { stored, unreadable } = store().removeStale('pods', [])
    expect([stored, unreadable.map((error) => error.path)]).toEqual([[], [path]])
    expect(store().remove(key)).toBe(true)
    expect(statSync(join(base, 'record')).isFile()).toBe(true)
  })

  test('a link is not followed by a write', () => {
    store().write(key, state)
    const path = file()
    rmSync(path)
    writeFileSync(join(base, 'target'), 'untouched')
    symlinkSync(join(base, 'target'), path)
    store().write(key, state)()
    expect(readFileSync(join(base, 'target'), 'utf8')).toBe('untouched')
    expect(lstatSync(path, { throwIfNoEntry: false })).toBeUndefined()
  })

  test('a folder that other users can write to is rejected', () => {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o777)
    const write = () => store().write(key, state)
    expect(write).toThrow('its folder may be written by others (mode 777)')
    expect(errorOf(write)).toMatchObject({ code: 'INSECURE', hint: expect.stringContaining(folder) })
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a state that cannot be stored', () => {
  test('is an I/O failure with its path', () => {
    writeFileSync(join(base, 'deep'), 'a file in the place of a folder')
    const write = () => store().write(key, state)
    expect(write).toThrow(`state file ${folder}/`)
    expect(errorOf(write)).toMatchObject({ code: 'EEXIST', [cniErrorKey]: { code: 5 } })
  })

  test('is a programming error if the folder is not an absolute path, or the schema is asynchronous', () => {
    expect(() => attachmentStore({ folder: 'state', schema })).toThrow('expected an absolute path, got "state"')
    const slow = z.object({ mac: z.string().check(z.refine(async () => true)) })
    const kept = attachmentStore({ folder, schema: slow })
    expect(() => kept.write(key, state)).toThrow('must not be asynchronous')
  })
})

test('the schema may be one of classic zod', () => {
  const kept = attachmentStore({
    folder,
    schema: classic.object({ at: classic.coerce.date() }),
    readBack: false,
  })
  kept.write(key, { at: new Date(0) })
  expect(kept.read(key)).toEqual({ at: new Date(0) })
})

test('a state error is recognized by its brand, and has a code for the runtime', () => {
  const error = new StateError('EROFS', '/run/x', 'it cannot be written')
  expect([isStateError(error), isStateError(new Error('x'))]).toEqual([true, false])
  expect(error[cniErrorKey].code).toBe(5)
})

function errorOf(step: () => unknown): unknown {
  try {
    return step()
  } catch (error) {
    return error
  }
}
