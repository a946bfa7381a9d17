import { fileURLToPath } from 'node:url'
import { run } from '@cni/host'
import { expect, test } from 'vitest'
import { NODE } from '../../../../test/node.ts'

const demo = fileURLToPath(new URL('../../demo/main.ts', import.meta.url))

async function play(...options: string[]) {
  const argv = [...NODE, demo, ...options] as const
  const { exitCode, stdout, stderr } = await run(argv, { timeout: 110_000, reject: false })
  return { exitCode, stdout, stderr, said: exitCode === 0 ? '' : stderr }
}

test.each([
  ['with the programs of the machine', []],
  ['without any program of iptables', ['--without-iptables']],
])('the demo succeeds %s', async (_, options) => {
  const { exitCode, stdout, said } = await play('--json', ...options)
  expect({ exitCode, said }).toEqual({ exitCode: 0, said: '' })
  const facts = JSON.parse(stdout)
  expect(facts).toMatchObject({ as_expected: true, check: { untouched: { passed: true }, tampered: { code: 100 } } })
  expect(facts.rules.ipv4.join('\n')).toMatch(/-A ISTIO_REDIRECT -p tcp -j REDIRECT --to-ports 15001/)
  expect(facts.rules.ipv6.join('\n')).toMatch(/-A OUTPUT -j ISTIO_OUTPUT/)
  const hidden: string[] | undefined = facts.machine.hidden
  if (options.length === 0) expect(hidden).toBeUndefined()
  else expect(hidden).toEqual(expect.arrayContaining(['nft', 'nsenter', 'xtables-legacy-multi', 'xtables-nft-multi']))
  // The demo hides programs in its own node only.
  await expect(run(['iptables-restore', '--version'])).resolves.toMatchObject({ exitCode: 0 })
})

test('the demo of ambient mode succeeds', { timeout: 120_000 }, async () => {
  const { exitCode, stdout, said } = await play('--ambient', '--json')
  expect({ exitCode, said }).toEqual({ exitCode: 0, said: '' })
  const facts = JSON.parse(stdout)
  expect(facts.as_expected).toBe(true)
  expect(facts.ztunnel.heard).toEqual([expect.stringMatching(/^add /), 'snapshotSent', expect.stringMatching(/^del /)])
  expect(facts.api_patches).toHaveLength(2)
})

test.each(['node-iptables', 'node-ebpf'])(
  'the demo of node-level ambient mode succeeds (%s)',
  { timeout: 120_000 },
  async (mode) => {
    const { exitCode, stdout, said } = await play(`--ambient=${mode}`, '--json')
    expect({ exitCode, said }).toEqual({ exitCode: 0, said: '' })
    expect(JSON.parse(stdout).as_expected).toBe(true)
  },
)

test('an unknown option is wrong usage, and the help names all options', async () => {
  expect(await play('--ambient=node')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--ambient=node:'),
  })
  expect(await play('--without-nft')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--without-nft') })
  const { exitCode, stdout } = await play('--help')
  expect(exitCode).toBe(0)
  for (const option of ['--json', '--keep', '--clean', '--without-iptables', '--ambient', '--no-install'])
    expect(stdout).toContain(option)
})
