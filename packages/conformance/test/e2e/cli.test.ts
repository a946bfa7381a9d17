import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findExecutable, isRunError, type RunResult, run } from '@cni/host'
import { describe, expect, test } from 'vitest'
import { NODE } from '../../../../test/node.ts'
import { plantedPlugin } from '../planted-plugin.ts'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

const cli = (...argv: string[]) => cliWith({}, ...argv)

async function cliWith(env: NodeJS.ProcessEnv, ...argv: string[]): Promise<RunResult> {
  try {
    const command = [...NODE, CLI, ...argv] as const
    return await run(command, { timeout: 60_000, env: { ...process.env, ...env } })
  } catch (error) {
    if (isRunError(error)) return error
    throw error
  }
}

describe.runIf(process.getuid?.() === 0)('cni-conformance', () => {
  test('prints its findings, and exits with a code that says whether the plugin conforms', async () => {
    using plugin = plantedPlugin(true, ['log-on-stdout'])
    const junit = `${plugin.path}.xml`
    const bad = await cli(plugin.path, '--chained', '--only', 'add.document', '--junit', junit)
    expect(bad).toMatchObject({ exitCode: 1, stderr: '' })
    expect(bad.stdout).toContain('ADD prints something else on stdout: "added the pod"')
    expect(bad.stdout).not.toContain('\u001b')
    expect(readFileSync(junit, 'utf8')).toContain('failures="1"')
    const good = await cli(plugin.path, '--chained', '--only', 'del', '--json')
    expect(good).toMatchObject({ exitCode: 0, stderr: '' })
    expect(JSON.parse(good.stdout)).toMatchObject({ conforms: true, chained: true, version: '1.1.0' })
  })

  test('advice alone is not a failure, unless --strict', async () => {
    using plugin = plantedPlugin(true, ['drops-unknown'])
    const argv = [plugin.path, '--chained', '--only', 'prev-result.unknown']
    expect(await cli(...argv)).toMatchObject({ exitCode: 0 })
    expect(await cli(...argv, '--strict')).toMatchObject({ exitCode: 1 })
  })

  test('an incomplete run has its own exit code, and the JUnit file reports it', async () => {
    using plugin = plantedPlugin(true, ['needs-eth9'])
    const junit = `${plugin.path}.xml`
    const { exitCode, stdout } = await cli(plugin.path, '--chained', '--only', 'del,stdin.types', '--junit', junit)
    expect(exitCode).toBe(4)
    expect(stdout.split('\n').slice(3, 5)).toEqual([
      'INCOMPLETE',
      '  - ADD with this configuration failed with code 7: there is no eth9',
    ])
    expect(stdout).toMatch(/\nIncomplete: 6 checks could not be made\..*\n$/)
    expect(readFileSync(junit, 'utf8')).toContain('errors="1"')
    using bad = plantedPlugin(true, ['prints-ok'])
    expect(await cli(bad.path, '--chained', '--only', 'add.document,del')).toMatchObject({ exitCode: 1 })
  })

  test('packet filters are read without nft and iptables', async () => {
    using keeps = plantedPlugin(true, ['keeps-rules'])
    using leaks = plantedPlugin(true, ['leaks-on-node'])
    const bin = mkdtempSync(join(tmpdir(), 'cni-no-nft-'))
    try {
      for (const name of ['unshare', 'mount', 'mkfifo', 'sh', 'cat', 'true', 'nsenter']) {
        symlinkSync(findExecutable(name) ?? '', join(bin, name))
      }
      const check = (plugin: string) =>
        cliWith({ PATH: bin }, plugin, '--chained', '--only', 'isolation,check.tampered')
      const left = await check(keeps.path)
      expect(left).toMatchObject({ exitCode: 0, stderr: '' })
      expect(left.stdout).toContain('DEL leaves in the pod: + nft table ip planted')
      expect(left.stdout).toContain('+ nft table ip planted / chain c / accept')
      const leaked = await check(leaks.path)
      expect(leaked).toMatchObject({ exitCode: 1, stderr: '' })
      expect(leaked.stdout).toContain('every pod leaves something on the node: + nft table ip leak / chain c / counter')
    } finally {
      rmSync(bin, { recursive: true })
    }
  })

  test('uses the version of --cni-version', async () => {
    using plugin = plantedPlugin(true, [])
    const argv = [plugin.path, '--chained', '--only', 'results', '--json']
    const { stdout } = await cli(...argv, '--cni-version', '0.4.0')
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'conforms', version: '0.4.0' })
    const conf = new URL('../fixtures/list.conflist', import.meta.url).pathname
    expect(JSON.parse((await cli(...argv, '--conf', conf)).stdout)).toMatchObject({ version: '1.0.0' })
  })

  test('takes its configuration from a list, under the name of the list', async () => {
    using plugin = plantedPlugin(true, [])
    const conf = new URL('../fixtures/list.conflist', import.meta.url).pathname
    const { stdout } = await cli(plugin.path, '--chained', '--conf', conf, '--only', 'stdin.types', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ conforms: true })
    const none = await cli('/bin/true', '--conf', conf)
    expect(none).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('has no plugin of type "true"') })
  })
})
