import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { captureDefaults } from '../../../istio-rules/src/capture/config.ts'
import { RECORDS_OF_VERSION_1 } from '../../test/plugin/records-of-version-1.ts'
import { attachmentKey } from './attachment-of-call.ts'
import { type AttachmentRecord, attachmentsIn, findByNetns } from './attachments.ts'

const key = attachmentKey({ networkName: 'pods', containerID: 'container-1', ifName: 'eth0' })
const record: AttachmentRecord = {
  netns: { dev: 4, ino: 4026532281 },
  backend: 'nft',
  families: ['ipv4', 'ipv6'],
  rules: { ...captureDefaults, ipv6: true, includeInboundPorts: '*', includeOutboundIPRanges: '*' },
  tproxy: null,
  applied: false,
}

let runDir: string
let path: string
beforeEach(() => {
  runDir = mkdtempSync(join(tmpdir(), 'attachments-'))
  path = join(runDir, 'attachments', RECORDS_OF_VERSION_1.name)
})
afterEach(() => rmSync(runDir, { recursive: true }))

test('a record reads back as written, from a file that only root can read', () => {
  attachmentsIn(runDir).write(key, record)
  expect(attachmentsIn(runDir).read(key)).toEqual(record)
  expect(readdirSync(join(runDir, 'attachments'))).toEqual([RECORDS_OF_VERSION_1.name])
  expect(statSync(join(runDir, 'attachments')).mode & 0o777).toBe(0o700)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

describe.each(['redirect', 'tproxy'] as const)('the record that an earlier plugin wrote for %s', (mode) => {
  const { [mode]: text } = RECORDS_OF_VERSION_1
  const { v, network, containerID, ifName, ...members } = JSON.parse(text)
  beforeEach(() => {
    mkdirSync(join(runDir, 'attachments'), { mode: 0o700 })
    writeFileSync(path, text, { mode: 0o600 })
  })

  test('is read with all members under its old file name', async () => {
    expect({ v, key: { network, containerID, ifName } }).toEqual({ v: 1, key: RECORDS_OF_VERSION_1.key })
    expect(attachmentsIn(runDir).read(key)).toEqual(members)
  })

  test('is found by its namespace', () => {
    expect(findByNetns(attachmentsIn(runDir), members.netns)?.key).toEqual(key)
    expect(findByNetns(attachmentsIn(runDir), { ...members.netns, ino: 1 })).toBeUndefined()
  })

  test('has the current format, so that the earlier plugin can delete an attachment of this plugin', () => {
    const attachments = attachmentsIn(runDir)
    const found = attachments.read(key)
    rmSync(path)
    if (found !== undefined) attachments.write(key, found)
    const written = readFileSync(path, 'utf8')
    expect(JSON.parse(written)).toEqual(JSON.parse(text))
    expect(written).toMatch(/^\{"v":1,.*\}\n$/)
  })

  test('is restored byte for byte by an ADD that fails', () => {
    attachmentsIn(runDir).write(key, record)()
    expect(readFileSync(path, 'utf8')).toBe(text)
  })
})

describe('an invalid state file causes an error with its path and the invalid member', () => {
  const whole = { v: 1, ...key, ...record }
  test.each([
    ['of another version', { ...whole, v: 2 }, 'it has version 2, expected 1'],
    ['without a namespace', { ...whole, netns: {} }, 'netns.dev'],
    ['with a back end that is not a string', { ...whole, backend: 7 }, 'backend'],
    ['with an invalid port', { ...whole, rules: { ...record.rules, proxyPort: 70_000 } }, 'rules.proxyPort'],
    [
      'without the loopback range',
      { ...whole, rules: { ...record.rules, loopbackCidr: undefined } },
      'rules.loopbackCidr',
    ],
    ['of another attachment', { ...whole, ifName: 'eth1' }, 'it describes another attachment'],
  ])('%s', async (_, document, problem) => {
    const attachments = attachmentsIn(runDir)
    attachments.write(key, record)
    writeFileSync(path, JSON.stringify(document))
    expect(() => attachments.read(key)).toThrow(`state file ${path}: ${problem}`)
    expect(findByNetns(attachments, record.netns)).toBeUndefined()
    expect(attachments.remove(key)).toBe(true)
  })
})

test('a state file that cannot be written causes an I/O error with its path', () => {
  writeFileSync(join(runDir, 'attachments'), 'a file in the place of the folder')
  const write = () => attachmentsIn(runDir).write(key, record)
  expect(write).toThrow(`state file ${path}: it cannot be written`)
  expect(write).toThrow(expect.objectContaining({ [Symbol.for('cni.error')]: expect.objectContaining({ code: 5 }) }))
})
