import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exec, root } from '../../scripts/lib/exec.ts'
import { CNI_BUILD } from '../../scripts/lib/executables.ts'
import { baseLayer } from '../../scripts/lib/image/layers.ts'
import { readPins } from '../../scripts/lib/image/pins.ts'
import { file } from '../../scripts/lib/image/tar.ts'
import { atRest, chain, networks } from './agent.ts'
import { apply, kubectl, loadImage, ready, shell, until } from './cluster.ts'
import { NAMESPACE, remove, rulesIn, workload } from './workloads.ts'

const example = join(root, 'docs/examples/installer')
const IMAGE = 'localhost/redirect-agent:1'
const labels = { suite: 'own-agent' }

/** The guide's DaemonSet with an image of the node, and the command of the guide's Dockerfile. */
function daemonSet(): string {
  const [, entry = ''] = /^ENTRYPOINT (.*)$/m.exec(readFileSync(join(example, 'Dockerfile'), 'utf8')) ?? []
  const text = readFileSync(join(example, 'daemon-set.yaml'), 'utf8')
  return text.replace(/^( +)image: .*$/m, `$1image: ${IMAGE}\n$1command: ${entry}`)
}

beforeAll(async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'own-agent-'))
  const compiled = async (source: string, ...flags: string[]): Promise<Buffer> => {
    const outfile = join(scratch, 'compiled')
    const from = join(root, 'docs/examples', source)
    await exec([...CNI_BUILD, from, '--condition=@cni/source', `--outfile=${outfile}`, ...flags], { quiet: true })
    return readFileSync(outfile)
  }
  try {
    const executables = [
      file(
        'usr/local/bin/redirect-agent',
        await compiled('installer/agent-main.ts', '--smoke=none', '--runtime=bun'),
        0o755,
      ),
      file('opt/cni/bin/tcp-redirect', await compiled('tcp-redirect/main.ts'), 0o755),
    ]
    const base = await baseLayer('amd64', { cache: join(root, 'dist/image-cache'), pins: readPins() })
    await loadImage(IMAGE, base, executables)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
})
afterAll(async () => {
  await remove('suite=own-agent')
  await kubectl(['delete', '--ignore-not-found', '-f', '-'], { input: daemonSet() })
})

it('an author’s own agent, as in the guide, installs its plugin for pods and leaves the node as it was', async () => {
  const before = await atRest(networks)
  await kubectl(['apply', '-f', '-'], { input: daemonSet() })
  await until('its plugin is at the end of the chain', async () => (await chain()).at(-1) === 'tcp-redirect')
  await apply(workload({ name: 'redirected', labels }))
  expect(await rulesIn(await ready(NAMESPACE, 'redirected'))).toMatch(/-A TR_OUTPUT .*--to-ports 15001/)
  await kubectl(['delete', '-f', '-'], { input: daemonSet() })
  await until('it is off the list', async () => !(await chain()).includes('tcp-redirect'))
  // This agent does not detect containerd: the plugin stays for a later DEL, which never comes.
  expect(await networks()).toContain('opt/cni/bin/tcp-redirect')
  await remove('suite=own-agent')
  await shell('rm /opt/cni/bin/tcp-redirect /opt/cni/bin/.tcp-redirect.uninstalled')
  await until('nothing of it is left', async () => (await networks()) === before).catch(async () => {
    expect(await networks()).toBe(before)
  })
})
