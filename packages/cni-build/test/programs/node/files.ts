import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'program-'))
const file = join(folder, 'ü.txt')
writeFileSync(file, 'text\n', { mode: 0o640, flag: 'wx' })
symlinkSync('ü.txt', join(folder, 'link'))
const failure = (f: () => unknown) => { try { return f() } catch (error: any) { return [error.name, error.code, error.errno, error.syscall, error.message.replace(folder, '@')].join() } }
console.log(failure(() => writeFileSync(file, '', { flag: 'wx' })), failure(() => readFileSync(folder)), failure(() => readFileSync('')), failure(() => readFileSync('/a\0b')))
console.log(failure(() => openSync('/nowhere/x', 'w')), failure(() => readdirSync(file)), failure(() => rmSync(join(folder, 'none'))), failure(() => readFileSync(file, 'nonsense' as never)))
const fd = openSync(file, 'r')
const buffer = Buffer.alloc(3)
console.log(readSync(fd, buffer, 0, 3, 1), String(buffer), failure(() => closeSync(fd)), (failure(() => closeSync(fd)) as string).slice(0, 12))
console.log(readFileSync(file) instanceof Buffer, readFileSync(file, 'latin1').length, statSync(file).mode.toString(8), statSync(file, { bigint: true }).size, readdirSync(folder, { withFileTypes: true }).map((e) => [e.name, e.isSymbolicLink()].join(':')).sort().join())
readFile(file, 'utf8').then((text) => { console.log(JSON.stringify(text), existsSync(file)); rmSync(folder, { recursive: true }); console.log(existsSync(file)) })
