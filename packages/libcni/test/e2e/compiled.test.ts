import { chmodSync, existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { run } from '@cni/host'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TempDir, tempDir } from '../temp-dir.ts'

const file = fileURLToPath(new URL('../../../../dist/bin/cnitool', import.meta.url))
const missing = existsSync(file) ? '' : ' (skipped: needs dist/bin/cnitool, npm run build)'

describe.runIf(missing === '')(`the compiled cnitool${missing}`, () => {
  let files: TempDir
  beforeEach(() => {
    files = tempDir()
    const plugin = `#!/bin/sh
case "$CNI_COMMAND" in
  ADD) printf '{"cniVersion":"1.1.0","ips":[{"address":"10.9.0.2/24"}]}' ;;
  VERSION) printf '{"cniVersion":"1.1.0","supportedVersions":["1.0.0","1.1.0"]}' ;;
esac
`
    for (const name of ['one', 'two']) {
      files.write(`bin/${name}`, plugin)
      chmodSync(`${files.dir}/bin/${name}`, 0o755)
    }
    files.write('net.d/pods.conflist', {
      cniVersion: '1.1.0',
      name: 'pods',
      plugins: [{ type: 'one' }, { type: 'two' }],
    })
  })
  afterEach(() => files[Symbol.dispose]())

  const cnitool = (...argv: string[]) =>
    run([file, ...argv, '--cache-dir', `${files.dir}/cache`], {
      env: { PATH: '/usr/bin:/bin', NETCONFPATH: `${files.dir}/net.d`, CNI_PATH: `${files.dir}/bin` },
      cwd: files.dir,
      reject: false,
    })

  test('works without Node', async () => {
    const explained = await cnitool('explain', 'add', 'pods', '/ns')
    expect(explained).toMatchObject({ exitCode: 0, stderr: '' })
    expect(explained.stdout).toContain(`${files.dir}/bin/two <<'EOF'`)
    expect(existsSync(`${files.dir}/cache`)).toBe(false)

    const added = await cnitool('add', 'pods', '/ns', '--trace')
    expect(JSON.parse(added.stdout)).toMatchObject({ ips: [{ address: '10.9.0.2/24' }] })
    expect(added.stderr).toMatch(/^ADD one .* ms\n {2}\+ ips\[0\] .*\nADD two .* ms, result unchanged\ntotal /)

    const { attachments } = JSON.parse((await cnitool('cache', 'list', '--json')).stdout)
    const [{ containerID }] = attachments
    expect((await cnitool('gc', 'pods', '--keep', `${containerID}/eth0`, '-v')).stderr).toMatch(/^GC one.*\nGC two/)
    for (const argv of [
      ['check', 'pods', '/ns'],
      ['status', 'pods'],
      ['validate', 'pods'],
      ['version', 'one', 'two'],
      ['cache', 'show', '/ns'],
      ['del', 'pods', '/ns', '--timeout', '30'],
      ['help', 'gc'],
    ]) {
      expect(await cnitool(...argv)).toMatchObject({ exitCode: 0, stderr: '' })
    }
    expect((await cnitool('cache', 'list')).stdout).toContain('no cached attachments')
  })

  test('fails with exit code 1, advice on stderr and an empty stdout', async () => {
    const { exitCode, stdout, stderr } = await cnitool('add', 'gone', '/ns')
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain('Hint: there are: pods')
  })
})
