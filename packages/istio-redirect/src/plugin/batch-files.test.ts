import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { captureDefaults } from '../redirect/config.ts'
import { batchFiles, executableIdentity } from './batch-files.ts'

const config = captureDefaults
const dual = { ...config, ipv6: true }
const batch = Uint8Array.of(0, 1, 254, 255)

let runDir: string
let told: string[]
const files = (maker = 'this') =>
  batchFiles(runDir, maker, { debug: (message, fields) => told.push(`${message}: ${fields?.reason}`) })
const path = () => join(runDir, 'batches', 'nft-ipv4-redirect.json')
beforeEach(() => {
  runDir = mkdtempSync(join(tmpdir(), 'batches-'))
  told = []
})
afterEach(() => rmSync(runDir, { recursive: true }))

test('what was made is there for the same, and for nothing else', () => {
  expect(files().read(config, 'nft')).toBeUndefined()
  files().write(config, 'nft', batch)
  expect(files().read(config, 'nft')).toEqual(Buffer.from(batch))
  expect(files().read({ ...config, proxyPort: 15002 }, 'nft')).toBeUndefined()
  expect(files().read(dual, 'nft')).toBeUndefined()
  expect(files().read(config, 'nftables')).toBeUndefined()
  expect(files('another').read(config, 'nft')).toBeUndefined()
  expect(told).toEqual([])
})

test('of each kind there is one file, with what was made last, for its owner alone', () => {
  const other = { ...config, proxyPort: 15002 }
  for (const one of [config, dual, other]) files().write(one, 'nft', batch)
  files().write({ ...dual, interceptionMode: 'TPROXY' }, 'nftables', batch)
  expect(readdirSync(join(runDir, 'batches')).sort()).toEqual([
    'nft-dual-redirect.json',
    'nft-ipv4-redirect.json',
    'nftables-dual-tproxy.json',
  ])
  expect(files().read(config, 'nft')).toBeUndefined()
  expect(files().read(other, 'nft')).toEqual(Buffer.from(batch))
  expect([statSync(join(runDir, 'batches')).mode & 0o777, statSync(path()).mode & 0o777]).toEqual([0o700, 0o600])
})

test('what the kernel has not taken is forgotten, and nothing large is kept', () => {
  files().write(config, 'nft', batch)
  files().remove(config, 'nft')
  files().remove(config, 'nft')
  files().write(config, 'nft', new Uint8Array(64 * 1024))
  expect(files().read(config, 'nft')).toBeUndefined()
  expect(told).toEqual([])
})

test.each<[what: string, spoil: () => void, reason: string | undefined]>([
  ['that others may write to', () => chmodSync(path(), 0o666), 'may be written by others'],
  ['in a folder that others may write to', () => chmodSync(join(runDir, 'batches'), 0o777), 'may be written by others'],
  ['that is not JSON', () => writeFileSync(path(), '{"for":'), 'JSON'],
  ['that says something else', () => writeFileSync(path(), '[]'), undefined],
  [
    'without what it is about',
    () => writeFileSync(path(), JSON.stringify({ ...JSON.parse(readFileSync(path(), 'utf8')), batch: 1 })),
    undefined,
  ],
])('a file %s is as none', (_, spoil, reason) => {
  files().write(config, 'nft', batch)
  spoil()
  expect(files().read(config, 'nft')).toBeUndefined()
  expect(told).toEqual(reason === undefined ? [] : [expect.stringMatching(`cannot be read.*${reason}`)])
})

test('a folder that cannot be made fails nothing', () => {
  writeFileSync(join(runDir, 'batches'), 'a file in the place of the folder')
  files().write(config, 'nft', batch)
  expect(told).toEqual([expect.stringContaining('what was made before cannot be kept')])
})

test('a program of Node has nothing that would tell it from another', () => {
  expect(executableIdentity()).toBeUndefined()
})
