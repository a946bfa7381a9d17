import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Exec } from '@cni/invoke'
import { iptables } from '@cni/iptables'
import { runCnitool } from '@cni/libcni'
import { tempNetns } from '@cni/netns/testing'
import { runPlugin } from '@cni/skel'
import { memoryStateFolder } from '@cni/skel/testing'
import { expect, onTestFinished, test } from 'vitest'
import { plugin } from './plugin.ts'

const records = memoryStateFolder()

/** Runs the plugin in this process instead of executing it. */
const exec: Exec = {
  find: (type) => `/bin/${type}`,
  async run({ env, stdin }) {
    const { exitCode, stdout, stderr } = await runPlugin(plugin, {
      env,
      stdin: () => stdin,
      stateFolder: () => records,
    })
    return { exitCode, signal: null, stdout, stderr, durationMs: 0 }
  },
}

test('cnitool check reports a difference once, with its place', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cnitool-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const conf = join(folder, '10-pods.conflist')
  const plugins = [{ type: 'tcp-redirect', port: 15001, proxy_uid: 1337, prevResult: { cniVersion: '1.0.0' } }]
  writeFileSync(conf, JSON.stringify({ cniVersion: '1.0.0', name: 'pods', plugins }))
  await using pod = await tempNetns()
  const cnitool = async (command: string) => {
    const said: string[] = []
    const argv = [command, '--conf', conf, '--cache-dir', folder, pod.path]
    const io = { env: {}, cwd: folder, exec, stdout: () => {}, stderr: (text: string) => void said.push(text) }
    return { exitCode: await runCnitool(argv, io), said: said.join('') }
  }

  expect(await cnitool('add')).toEqual({ exitCode: 0, said: '' })
  expect(await cnitool('check')).toEqual({ exitCode: 0, said: '' })
  await iptables(pod, { families: ['ipv4'] }).transaction((t) => t.flushChain('nat', 'TR_OUTPUT'))
  expect(await cnitool('check')).toEqual({
    exitCode: 1,
    said: [
      'Error: iptables rules differ from the ruleset in ipv4 nat TR_OUTPUT: 2 missing; ' +
        'missing ipv4 nat: -A TR_OUTPUT -m owner --uid-owner 1337 -j RETURN',
      'missing ipv4 nat: -A TR_OUTPUT ! -d 127.0.0.1/32 -p tcp -j REDIRECT --to-ports 15001',
      '',
    ].join('\n'),
  })
})
