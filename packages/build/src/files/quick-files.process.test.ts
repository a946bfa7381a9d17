import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '@cni/host'
import { expect, onTestFinished, test } from 'vitest'
import { bundle } from '../bundle.ts'

const entry = new URL('../../test/fixtures/file-calls.ts', import.meta.url).pathname
const bun = createRequire(import.meta.url)
  .resolve('@oven/bun-linux-x64-baseline/package.json')
  .replace('package.json', 'bin/bun')

/** Runs a function of a bundle, and says what that has loaded. */
const RUNNER = `
  const [file, name, folder] = process.argv.slice(-3)
  const text = await Bun.file(file).text()
  const place = process.env.WITHOUT_FFI ? Object.create(globalThis, { Bun: { value: {} } }) : globalThis
  const loaded = new Set()
  const module = { exports: {} }
  const recording = (name) => (loaded.add(name), require(name))
  new Function('module', 'exports', 'require', 'globalThis', text)(module, module.exports, recording, place)
  const told = module.exports[name](folder)
  console.log(JSON.stringify({ told, loaded: [...loaded] }))`

test('what plugins do with files has the results of node:fs, which is not loaded for it', async () => {
  const folder = await madeFolder()
  const [quick, genuine] = [await onBun('ordinary', folder, 'bun'), await onBun('ordinary', folder)]
  expect(quick.told).toEqual(genuine.told)
  expect(quick.loaded).toEqual([])
  expect(genuine.loaded).toEqual(['node:fs'])
}, 30_000)

test('what is refused and what is seldom asked for has the results and errors of node:fs', async () => {
  const quick = await onBun('extraordinary', await madeFolder(), 'bun')
  const genuine = await onBun('extraordinary', await madeFolder())
  expect(quick.told).toEqual(genuine.told)
}, 30_000)

test('without a way to the kernel node:fs does it all', async () => {
  const folder = await madeFolder()
  const quick = await onBun('ordinary', folder, 'bun', { WITHOUT_FFI: '1' })
  expect(quick.told).toEqual((await onBun('ordinary', folder)).told)
  expect(quick.loaded).toEqual(['node:fs'])
}, 30_000)

async function onBun(name: string, folder: string, runtime?: 'bun', env: Record<string, string> = {}) {
  const { text } = await bundle({ entry, ...(runtime === undefined ? {} : { runtime }) })
  const file = join(temporary(), 'bundle.cjs')
  writeFileSync(file, text)
  const { stdout } = await run([bun, '-e', RUNNER, file, name, folder], { env, cwd: '/', timeout: 20_000 })
  // What is another with each folder.
  return JSON.parse(stdout.replaceAll(folder, 'FOLDER').replaceAll(/\b[12]\d{12,}(?:\.\d+)?n?/g, 'MOMENT'))
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quick-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function madeFolder(): Promise<string> {
  const folder = temporary()
  await makeFiles(folder)
  return folder
}

async function makeFiles(folder: string): Promise<void> {
  mkdirSync(join(folder, 'folder'))
  for (const name of ['file', 'ünï']) writeFileSync(join(folder, name), 'some text\n')
  writeFileSync(join(folder, 'empty'), '')
  writeFileSync(join(folder, 'large'), 'ä'.repeat(100_000))
  writeFileSync(join(folder, 'marked'), '\uFEFFtext')
  writeFileSync(join(folder, 'bytes'), Buffer.from([0x61, 0xff, 0xfe, 0x62]))
  for (const [name, target] of [
    ['link', 'file'],
    ['dangling', 'none'],
    ['loop', 'loop'],
  ] as const)
    symlinkSync(target, join(folder, name))
  await run(['mkfifo', join(folder, 'pipe')])
}
