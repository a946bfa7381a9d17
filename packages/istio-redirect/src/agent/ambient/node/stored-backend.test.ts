import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { backendFile } from '../../config/backend-file.ts'
import { readStoredBackend, storeBackend } from './stored-backend.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'back-end-'))
  path = backendFile(folder)
})
afterEach(() => rmSync(folder, { recursive: true }))

test.each(['iptables-legacy', 'iptables-nft'] as const)('%s is stored in a file that only root can read', (backend) => {
  expect(readStoredBackend(path)).toBeUndefined()
  storeBackend(path, backend === 'iptables-nft' ? 'iptables-legacy' : 'iptables-nft')
  storeBackend(path, backend)
  expect(readStoredBackend(path)).toBe(backend)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test.each([
  ['nft', 'iptables-nft'],
  ['legacy', 'iptables-legacy'],
] as const)('the stored word is %s, as in files of earlier versions', (word, backend) => {
  const text = `{"iptables":"${word}"}\n`
  writeFileSync(path, text)
  expect(readStoredBackend(path)).toBe(backend)
  storeBackend(path, backend)
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test.each([
  ['', '""'],
  ['nft', '"nft"'],
  ['{"iptables":"nft', '"{\\"iptables\\":\\"nft"'],
  ['null', '"null"'],
  ['["nft"]', '"[\\"nft\\"]"'],
  ['{"iptables":"iptables-nft"}', '"{\\"iptables\\":\\"iptables-nft\\"}"'],
  ['{"iptables":["nft"]}', '"{\\"iptables\\":[\\"nft\\"]}"'],
  ['{"__proto__":{"iptables":"nft"}}', '"{\\"__proto__\\":{\\"iptables\\":\\"nft\\"}}"'],
  ['\u001b[31m\n{}', '"\\u001b[31m\\n{}"'],
])('the invalid content %j is an error that names the file and the content', (text, quoted) => {
  writeFileSync(path, text)
  expect(() => readStoredBackend(path)).toThrow(
    `${path} has an invalid choice of iptables: ${quoted}, expected {"iptables":"nft"}`,
  )
})

test.each([
  ['a pipe', () => execFileSync('mkfifo', [path]), 'it is not a regular file'],
  ['a folder', () => mkdirSync(path), 'it is not a regular file'],
  ['a file that is too large', () => writeFileSync(path, ' '.repeat(1025)), 'it has 1025 bytes, more than 1024'],
])('%s is refused', (_, make, problem) => {
  make()
  expect(() => readStoredBackend(path)).toThrow(`cannot read ${path}: ${problem}`)
})
