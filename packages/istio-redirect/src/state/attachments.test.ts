import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { captureDefaults } from '../redirect/config.ts'
import type { AttachmentRecord } from './attachment-record.ts'
import { attachmentsIn } from './attachments.ts'

const key = { network: 'pods', containerID: 'abc', ifName: 'eth0' }
const attachment: AttachmentRecord = {
  v: 1,
  ...key,
  netns: { dev: 4, ino: 4026532281 },
  backend: 'nft',
  families: ['ipv4', 'ipv6'],
  rules: { ...captureDefaults, ipv6: true, includeInboundPorts: '*', includeOutboundIPRanges: '*' },
  tproxy: null,
  applied: false,
}

let runDir: string
const files = () => readdirSync(join(runDir, 'attachments'))
beforeEach(() => {
  runDir = mkdtempSync(join(tmpdir(), 'attachments-'))
})
afterEach(() => rmSync(runDir, { recursive: true }))

describe('the state of an attachment', () => {
  test('reads back as it was written', () => {
    attachmentsIn(runDir).write(attachment)
    expect(attachmentsIn(runDir).read(key)).toEqual(attachment)
  })

  test('is one file that only root can read, named by a digest', () => {
    attachmentsIn(join(runDir, 'deep/er')).write(attachment)
    runDir = join(runDir, 'deep/er')
    expect(files()).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.json$/)])
    expect(statSync(join(runDir, 'attachments')).mode & 0o777).toBe(0o700)
    expect(statSync(join(runDir, 'attachments', files()[0] ?? '')).mode & 0o777).toBe(0o600)
    runDir = join(runDir, '../..')
  })

  test('is replaced by the next one', () => {
    const state = attachmentsIn(runDir)
    state.write(attachment)
    state.write({ ...attachment, applied: true })
    expect(state.read(key)).toEqual({ ...attachment, applied: true })
    expect(files()).toHaveLength(1)
  })

  test('is not mixed up with that of a similar attachment', () => {
    const state = attachmentsIn(runDir)
    state.write(attachment)
    for (const other of [{ network: 'podsa' }, { containerID: 'abc\0' }, { ifName: 'eth1' }]) {
      expect(state.read({ ...key, ...other })).toBeUndefined()
    }
  })

  test('may belong to a container with a name of any length', () => {
    const long = { ...key, containerID: 'x'.repeat(5000) }
    const state = attachmentsIn(runDir)
    state.write({ ...attachment, ...long })
    expect(state.read(long)?.containerID).toHaveLength(5000)
  })

  test('is forgotten once', () => {
    const state = attachmentsIn(runDir)
    state.write(attachment)
    expect([state.forget(key), state.forget(key)]).toEqual([true, false])
    expect(files()).toEqual([])
  })

  test('is forgotten with what a killed call left half written, but not with what another is writing', () => {
    const state = attachmentsIn(runDir)
    state.write(attachment)
    const [name] = files()
    const other = `.${'0'.repeat(32)}.json.1a2b3c.tmp`
    for (const half of [`.${name}.4cj10jnsh.tmp`, other]) writeFileSync(join(runDir, 'attachments', half), '{"v"')
    state.forget(key)
    expect(files()).toEqual([other])
  })

  test('is absent, and no error, where nothing was ever written', () => {
    const state = attachmentsIn(join(runDir, 'nowhere'))
    expect(state.read(key)).toBeUndefined()
    expect(state.forget(key)).toBe(false)
    expect(state.forgetOthers('pods', [])).toEqual({ forgotten: [], unreadable: [] })
  })
})

describe('a state file that says nothing usable is an error with its path', () => {
  test.each([
    ['empty', '', 'it is not JSON'],
    ['cut off', JSON.stringify(attachment).slice(0, 40), 'it is not JSON'],
    ['of another version', JSON.stringify({ ...attachment, v: 2 }), 'v is missing or has the wrong type'],
    ['a list', '[]', 'the document is missing or has the wrong type'],
    ['without a namespace', JSON.stringify({ ...attachment, netns: {} }), 'netns.dev is missing'],
    [
      'with a port that is none',
      JSON.stringify({ ...attachment, rules: { ...attachment.rules, proxyPort: 70000 } }),
      'rules.proxyPort',
    ],
    ['of somebody else', JSON.stringify({ ...attachment, ifName: 'eth1' }), 'it describes another attachment'],
  ])('%s', (_, text, problem) => {
    const state = attachmentsIn(runDir)
    state.write(attachment)
    const path = join(runDir, 'attachments', files()[0] ?? '')
    writeFileSync(path, text)
    expect(() => state.read(key)).toThrow(`state file ${path}: ${problem}`)
    expect(state.forget(key)).toBe(true)
  })
})

test('a state file that is a device is an error at once, and can be forgotten', () => {
  const state = attachmentsIn(runDir)
  state.write(attachment)
  const path = join(runDir, 'attachments', files()[0] ?? '')
  rmSync(path)
  symlinkSync('/dev/zero', path)
  expect(() => state.read(key)).toThrow(`state file ${path}: it is not a regular file`)
  expect(state.forget(key)).toBe(true)
})

test('a state file that cannot be written is an I/O failure with its path', () => {
  writeFileSync(join(runDir, 'attachments'), 'a file in the place of the folder')
  const write = () => attachmentsIn(runDir).write(attachment)
  expect(write).toThrow(`state file ${join(runDir, 'attachments')}/`)
  expect(write).toThrow(expect.objectContaining({ [Symbol.for('cni.error')]: { code: 5 } }))
})

describe('forgetting all but the valid attachments of a network', () => {
  test('leaves those, and every other network', () => {
    const state = attachmentsIn(runDir)
    const gone = { ...key, containerID: 'gone' }
    const elsewhere = { ...gone, network: 'other' }
    for (const one of [key, gone, elsewhere]) state.write({ ...attachment, ...one })
    expect(state.forgetOthers('pods', [{ containerID: 'abc', ifName: 'eth0' }])).toMatchObject({ forgotten: [gone] })
    expect(state.read(key)).toBeDefined()
    expect(state.read(gone)).toBeUndefined()
    expect(state.read(elsewhere)).toBeDefined()
  })

  test('removes what was half written an hour ago, and no younger', () => {
    mkdirSync(join(runDir, 'attachments'))
    const [old, young] = ['0', '1'].map((digit) => `.${digit.repeat(32)}.json.1a2b3c.tmp`)
    for (const half of [`${old}`, `${young}`]) writeFileSync(join(runDir, 'attachments', half), '{"v"')
    const past = Date.now() / 1000 - 3700
    utimesSync(join(runDir, 'attachments', `${old}`), past, past)
    attachmentsIn(runDir).forgetOthers('pods', [])
    expect(files()).toEqual([young])
  })

  test('reports files it cannot read and leaves what is not state', () => {
    mkdirSync(join(runDir, 'attachments'))
    writeFileSync(join(runDir, 'attachments', `${'0'.repeat(32)}.json`), '{')
    writeFileSync(join(runDir, 'attachments', 'README'), 'not state')
    const { forgotten, unreadable } = attachmentsIn(runDir).forgetOthers('pods', [])
    expect(forgotten).toEqual([])
    expect(unreadable.map((error) => error.message)).toEqual([expect.stringContaining('it is not JSON')])
    expect(files()).toHaveLength(2)
  })
})
