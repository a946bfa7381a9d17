import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isRunError, type RunResult, run } from '@cni/host'
import { describe, expect, test } from 'vitest'
import { plantedPlugin } from '../planted-plugin.ts'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

async function cli(...argv: string[]): Promise<RunResult> {
  try {
    return await run([process.execPath, '--conditions=@cni/source', CLI, ...argv], { timeout: 60_000 })
  } catch (error) {
    if (isRunError(error)) return error
    throw error
  }
}

describe.runIf(process.getuid?.() === 0)('cni-conformance', () => {
  test('says on stdout what it found, and with its exit code whether the plugin conforms', async () => {
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

  test('advice alone is no failure, unless --strict', async () => {
    using plugin = plantedPlugin(true, ['drops-unknown'])
    const argv = [plugin.path, '--chained', '--only', 'prev-result.unknown']
    expect(await cli(...argv)).toMatchObject({ exitCode: 0 })
    expect(await cli(...argv, '--strict')).toMatchObject({ exitCode: 1 })
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
