import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { checkProgram } from './check-program.ts'

const folder = mkdtempSync(join(tmpdir(), 'cni-program-'))
afterAll(() => rmSync(folder, { recursive: true }))
const own = process.arch === 'arm64' ? 'arm64' : 'x64'
const other = own === 'x64' ? 'arm64' : 'x64'
const file = join(folder, 'program')

it('accepts a complete program for the processor', () => {
  copyFileSync('/bin/true', file)
  expect(() => checkProgram(file, own)).not.toThrow()
})

it('rejects any other program with a message', () => {
  expect(() => checkProgram('/bin/true', other)).toThrow(`/bin/true is for another processor than ${other}`)
  const { length } = readFileSync('/bin/true')
  truncateSync(file, length - 1)
  expect(() => checkProgram(file, own)).toThrow(`${file} has ${length - 1} bytes instead of ${length}: install its`)
  writeFileSync(file, Buffer.concat([readFileSync('/bin/true'), Buffer.alloc(3)]))
  expect(() => checkProgram(file, own)).toThrow(`${file} has ${length + 3} bytes instead of ${length}`)
  writeFileSync(file, '')
  expect(() => checkProgram(file, own)).toThrow(`${file} is not a program of a 64-bit Linux`)
})
