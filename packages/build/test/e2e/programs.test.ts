import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildExecutable, bundle } from '@cni/build'
import { run } from '@cni/host'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'cni-programs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const said = async (...argv: [string, ...string[]]) => (await run(argv, { env: {} })).stdout

const entry = write('plugin.ts', `process.stdout.write(JSON.stringify({ supportedVersions: ['1.0.0'] }))\n`)
const programs = {
  // Names of its own at the top level, which the plugin may have, too.
  agent: write(
    'agent.ts',
    `import { hostname } from 'node:os'\nconst entry = typeof hostname\nconsole.log('agent', entry)`,
  ),
  // Sloppy, though the others are strict.
  old: write('old.cjs', `#!/usr/bin/env node\nundeclared = 1\nconsole.log('old', undeclared) // no newline behind`),
}
const plugin = '{"supportedVersions":["1.0.0"]}'

describe.each(['bun', 'node'] as const)('an executable of several programs, with %s', (runtime) => {
  const outfile = join(folder, runtime, 'plugin')
  const path = (name: string) => join(folder, runtime, name)
  beforeAll(async () => {
    await buildExecutable({ entry, outfile, programs, runtime, bundleFile: path('plugin.cjs') })
  })

  it('is one file that is the program whose name it is called by', async () => {
    expect(new Set(['plugin', 'agent', 'old'].map((name) => statSync(path(name)).ino)).size).toBe(1)
    expect(await said(outfile)).toBe(plugin)
    expect(await said(path('agent'))).toBe('agent function\n')
    expect(await said(path('old'))).toBe('old 1\n')
  })

  it('is its entry by any other name, and does without the file it is a copy of', async () => {
    copyFileSync(outfile, path('renamed'))
    expect(await said(path('renamed'), 'agent')).toBe(plugin)
    copyFileSync(outfile, path('copy'))
    rmSync(path('agent'))
    copyFileSync(path('copy'), path('agent'))
    expect(await said(path('agent'))).toBe('agent function\n')
  })

  it('its bundle for Node goes by the name of its file', async () => {
    expect(await said(process.execPath, path('plugin.cjs'))).toBe(plugin)
    copyFileSync(path('plugin.cjs'), path('agent.cjs'))
    expect(await said(process.execPath, path('agent.cjs'))).toBe('agent function\n')
  })
})

it('a program that does not start is refused, and named', async () => {
  const broken = write('broken.ts', 'process.exit(3)\n')
  await expect(buildExecutable({ entry, outfile: join(folder, 'no', 'plugin'), programs: { broken } })).rejects.toThrow(
    'broken does not answer --help: it ended with exit code 3',
  )
})

it('the shares of a bundle are those of all its programs', async () => {
  const { inputs } = await bundle({ entry, programs })
  const names = inputs.map(({ path }) => path.slice(path.lastIndexOf('/') + 1))
  expect(names.sort()).toEqual(['agent.ts', 'old.cjs', 'plugin.ts'])
})
