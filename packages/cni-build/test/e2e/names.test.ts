import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildExecutable } from '@cni/build'
import { run } from '@cni/host'
import { afterAll, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'cni-names-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const entry = join(folder, 'main.ts')
writeFileSync(
  entry,
  `const name = process.argv0.slice(process.argv0.lastIndexOf('/') + 1)
if (name !== 'unknown') process.stdout.write(JSON.stringify({ supportedVersions: [name] }))
`,
)
const bin = join(folder, 'bin')
const options = {
  snapshot: false,
  entry,
  outfile: join(bin, 'first'),
  names: ['second', 'third'],
  bundleFile: join(folder, 'b.cjs'),
}
const files = () => readdirSync(bin).filter((name) => !name.endsWith('.map'))
const inodes = () => files().map((name) => [name, statSync(join(bin, name)).ino])

it('an executable has all its names, is one file, and is started under each name', async () => {
  const built = await buildExecutable(options)
  expect(built.names).toEqual([join(bin, 'second'), join(bin, 'third')])
  const { ino } = statSync(built.outfile)
  expect(inodes()).toEqual(['first', 'second', 'third'].map((name) => [name, ino]))
  const { stdout } = await run([join(bin, 'third')], { env: {} })
  expect(JSON.parse(stdout)).toEqual({ supportedVersions: ['third'] })
})

it('a name that it does not answer to fails the build and changes no file', async () => {
  const before = inodes()
  await expect(buildExecutable({ ...options, names: ['second', 'unknown'] })).rejects.toThrow(
    'unknown does not answer CNI_COMMAND=VERSION',
  )
  expect(inodes()).toEqual(before)
})

it('a missing or replaced name is restored without compilation', async () => {
  const incremental = { ...options, incremental: true }
  await buildExecutable(incremental)
  rmSync(join(bin, 'second'))
  rmSync(join(bin, 'third'))
  writeFileSync(join(bin, 'third'), 'another')
  const built = await buildExecutable(incremental)
  expect(built.compiled).toBe(false)
  expect(new Set(inodes().map(([, ino]) => ino)).size).toBe(1)
  expect(readFileSync(join(bin, 'third')).length).toBe(built.bytes)
})
