import { join } from 'node:path'
import { run } from '@cni/host'
import { expect, test } from 'vitest'
import { NODE } from '../../../test/node.ts'
import { calico, fakeNode } from './node.ts'

const program = join(import.meta.dirname, 'processes/install-and-report.ts')

/**
 * Runs a command and then the installer in a new mount namespace. Returns the installer's report and the node's files.
 */
async function runAfter(prepare: (root: string) => string, look: string) {
  using node = fakeNode()
  const script = `${prepare(node.root)} && "$@" && ${look}`
  const argv = ['unshare', '--mount', 'sh', '-c', script, 'sh', ...NODE, program, node.root] as const
  const { stdout } = await run(argv, { cwd: node.root, env: { PATH: process.env.PATH ?? '' } })
  const end = stdout.indexOf('\n--\n')
  return { ...JSON.parse(stdout.slice(0, end)), look: stdout.slice(end + 4) }
}

test('on a full disk the network does not change, nothing is left, and the failure names the disk', async () => {
  const report = await runAfter(
    (root) =>
      `cp net/10-calico.conflist . && mount -t tmpfs -o size=8k none net && cp 10-calico.conflist net/ && (yes > net/filler 2>/dev/null; true) && test -d ${root}`,
    `printf '\\n--\\n' && ls -A net && cat net/10-calico.conflist`,
  )
  expect(report.failed).toMatchObject([
    { artefact: 'conflist', attempt: 1, message: expect.stringContaining('the file system is full') },
  ])
  expect(report.status.ready).toBe(false)
  expect(report.look).toBe(`10-calico.conflist\nfiller\n${calico}`)
})

test.each([
  ['bin', 'binary'],
  ['run', 'kubeconfig'],
])('with a full %s folder our entry is not added to the network', async (folder, artefact) => {
  const report = await runAfter(
    () => `mount -t tmpfs -o size=4k none ${folder} && (yes > ${folder}/filler 2>/dev/null; true)`,
    `printf '\\n--\\n' && ls -A ${folder} && cat net/10-calico.conflist`,
  )
  expect(report.failed).toMatchObject([{ artefact, error: { errno: 'ENOSPC' } }])
  expect(report.look).toBe(`filler\n${calico}`)
})

test.each([1, 2, 3, 4, 5])('with %d free pages the node has a complete installation or none', async (pages) => {
  const report = await runAfter(
    () =>
      `mkdir all && mount -t tmpfs -o size=${4 * (pages + 1)}k none all && for one in bin run net; do mkdir all/$one && cp -a $one/. all/$one && mount --bind all/$one $one; done`,
    `printf '\\n--\\n' && ls -A bin run net && echo -- && cat net/10-calico.conflist`,
  )
  const [names, list] = report.look.split('--\n')
  if (report.status.ready) {
    expect(names).toBe('bin:\nmesh\nmesh-lib.so\n\nnet:\n10-calico.conflist\n\nrun:\nkubeconfig\n')
    expect(list).toContain('"mesh"')
  } else expect(list).toBe(calico)
  expect(report.look).not.toContain('tmp')
})

test.each([
  ['bin', 'binary'],
  ['net', 'conflist'],
])('with a read-only %s folder the failure names the cause, and nothing is damaged', async (folder, artefact) => {
  const report = await runAfter(
    () => `mount --bind ${folder} ${folder} && mount -o remount,ro,bind ${folder}`,
    `printf '\\n--\\n' && ls -A ${folder} && cat net/10-calico.conflist`,
  )
  expect(report.failed).toMatchObject([
    { artefact, message: expect.stringContaining('is this the folder of your platform') },
  ])
  expect(report.look).toContain(calico)
  expect(report.look).not.toContain('tmp')
})
