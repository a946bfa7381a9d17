import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '@cni/host'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { conformance } from '../src/conformance.ts'
import { emptyState } from '../src/world/state.ts'
import { wrap } from '../src/world/wrapper.ts'
import { plantedPlugin } from './planted-plugin.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cni-state-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

let calls = 0

/** Runs a shell script like a plugin. */
async function sh(text: string, mounts: Parameters<typeof wrap>[3]): Promise<string> {
  const script = join(dir, `script-${++calls}`)
  writeFileSync(script, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  const { stdout } = await run(wrap(script, {}, join(dir, `pipe-${calls}`), mounts))
  return stdout
}

describe.runIf(process.getuid?.() === 0)('the folders of state', () => {
  test('contain only the standard entries of a node, and hide new files from the machine', async () => {
    const state = emptyState(join(dir, 'state'), [])
    const there = await sh('find /run /var/lib/cni | sort', state.mounts)
    expect(there.trim().split('\n')).toEqual(['/run', '/run/lock', '/run/netns', '/run/xtables.lock', '/var/lib/cni'])
    expect(state.files().size).toBe(0)
    const name = `conformance-${process.pid}`
    await sh(
      `mkdir -p /run/${name} && echo one >/run/${name}/a && ln -s /etc/passwd /var/lib/cni/${name}`,
      state.mounts,
    )
    expect([...state.files()].sort()).toEqual([
      [`/run/${name}/`, ''],
      [`/run/${name}/a`, 'one\n'],
      [`/var/lib/cni/${name}`, ''],
    ])
    expect(existsSync(`/run/${name}`) || existsSync(`/var/lib/cni/${name}`)).toBe(false)
    state.remove()
    expect(readFileSync('/etc/passwd', 'utf8')).not.toBe('')
    expect(readdirSync(dir)).not.toContain('state')
  })

  test('are not created on a machine that lacks them', async () => {
    const above = join(dir, 'lib')
    mkdirSync(above)
    writeFileSync(join(above, 'neighbour'), 'here')
    const folder = join(above, 'some', 'cni')
    const state = emptyState(join(dir, 'state'), [], [folder])
    expect(await sh(`echo x >${folder}/lease; cat ${above}/neighbour; ls ${above}`, state.mounts)).toBe(
      'hereneighbour\nsome\n',
    )
    expect([...state.files().keys()]).toEqual([join(folder, 'lease')])
    expect(readdirSync(above)).toEqual(['neighbour'])
    state.remove()
    expect(readdirSync(above)).toEqual(['neighbour'])
  })

  test('are empty at the beginning of every check', async () => {
    // This plugin rejects existing records: with leftovers of another check, ADD would fail.
    using plugin = plantedPlugin(true, ['leaves-files', 'refuses-leftovers'])
    const only = ['add.document', 'stdout.del', 'del.without-prev-result']
    const report = await conformance({ plugin: plugin.path, chained: true, only })
    expect(report).toMatchObject({ verdict: 'conforms', counts: { pass: 3 } })
  })

  test('contain a shared file: the socket of a daemon', async () => {
    const folder = mkdtempSync('/run/cni-conformance-test-')
    const socket = join(folder, 'daemon.sock')
    const server = createServer().listen(socket)
    try {
      using plugin = plantedPlugin(true, ['needs-socket'])
      const options = { plugin: plugin.path, chained: true, conf: { socket }, only: ['add.works', 'isolation.state'] }
      expect(await conformance(options)).toMatchObject({
        verdict: 'incomplete',
        unchecked: [{ reason: 'ADD with this configuration failed with code 50: no daemon' }],
      })
      expect(await conformance({ ...options, share: [socket] })).toMatchObject({ verdict: 'conforms' })
      expect(existsSync(socket)).toBe(true)
    } finally {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
