import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { CniError } from '@cni/types'
import { afterAll, describe, expect, test } from 'vitest'
import { scriptFolder } from '../test/script-folder.ts'
import { pluginEnv } from './env.ts'
import { InvokeError, PluginError } from './errors.ts'
import { execPlugin, execWithResult } from './exec-plugin.ts'
import { callPlugin } from './plugin.ts'

const bin = scriptFolder()
afterAll(() => bin[Symbol.dispose]())

const env = pluginEnv('ADD', { containerID: 'c1', ifName: 'eth0', path: [bin.dir] })
const conf = { cniVersion: '1.1.0', name: 'net', type: 'x' }
const quiet = { env, stderr: () => undefined }
let count = 0

describe('a failing plugin', () => {
  test.each([
    [`printf '{"code":7,"msg":"bad","details":"dd"}'; exit 3`, 7, 'bad', 'dd', 'reported'],
    [
      'echo not json; exit 3',
      0,
      /^netplugin failed but error parsing its diagnostic message "not json\\n": /,
      undefined,
      'unreadable',
    ],
    [
      `printf '{"code":-1,"msg":"x"}'; exit 1`,
      0,
      /^netplugin failed but error parsing its diagnostic message .*code: expected an unsigned integer/,
      undefined,
      'unreadable',
    ],
    [
      `printf '{"a":1}{"code":7}'; exit 1`,
      0,
      /^netplugin failed but error parsing its diagnostic message "\{\\"a\\":1\}\{/,
      undefined,
      'unreadable',
    ],
    ['echo to stderr >&2; exit 3', 0, 'netplugin failed: "to stderr\\n": exit status 3', undefined, 'exit'],
    ['exit 3', 0, 'netplugin failed with no error message: exit status 3', undefined, 'exit'],
    ['kill -9 $$', 0, 'netplugin failed with no error message: signal: killed', undefined, 'exit'],
    ['kill -SEGV $$', 0, 'netplugin failed with no error message: signal: segmentation fault', undefined, 'exit'],
    // The message of the reference implementation is empty here.
    [`printf '{}'; exit 3`, 0, 'netplugin failed with an empty error document: exit status 3', undefined, 'reported'],
  ])('%s → code %i, %s', async (body, code, message, details, reason) => {
    const name = `fails-${count++}`
    const error = await failure(execPlugin(bin.script(name, body), conf, quiet))
    expect(error).toBeInstanceOf(PluginError)
    expect(error).toBeInstanceOf(CniError)
    expect(error).toMatchObject({ code, reason, plugin: name })
    expect(error.message).toMatch(typeof message === 'string' ? exactly(message) : message)
    expect(error.details).toBe(details)
  })

  test('a file that is not executable fails at its start', async () => {
    const path = bin.script('plain', 'exit 0', 0o644)
    const error = await failure(execPlugin(path, conf, quiet))
    expect(error).toMatchObject({
      code: 0,
      reason: 'start',
      message: `netplugin failed with no error message: fork/exec ${path}: permission denied`,
    })
  })

  test('a script without its interpreter fails at its start', async () => {
    const path = bin.script('orphan', '')
    writeFileSync(path, '#!/nonexist/interpreter\n')
    const error = await failure(execPlugin(path, conf, quiet))
    expect(error.message).toBe(`netplugin failed with no error message: fork/exec ${path}: no such file or directory`)
  })
})

describe('a successful plugin', () => {
  test('gets the configuration on stdin, the environment, and no arguments', async () => {
    const path = bin.script('tell', 'printf "%s|%s|%s|" "$#" "$CNI_COMMAND" "$CNI_CONTAINERID"; cat')
    const stdout = await execPlugin(path, conf, quiet)
    expect(stdout).toBe('0|ADD|c1|{"cniVersion":"1.1.0","name":"net","type":"x"}')
  })

  test('receives bytes unchanged', async () => {
    const raw = '{ "name":"net",  "big": 12345678901234567890 }\n'
    const path = bin.script('cat', 'cat')
    expect(await execPlugin(path, raw, quiet)).toBe(raw)
    expect(await execPlugin(path, new TextEncoder().encode(raw), quiet)).toBe(raw)
  })

  test('may leave its stdin unread', async () => {
    const path = bin.script('deaf', 'exec 0<&-; printf ok')
    expect(await execPlugin(path, { ...conf, padding: 'x'.repeat(1 << 20) }, quiet)).toBe('ok')
  })

  test('has its stderr passed on while it runs', async () => {
    const path = bin.script('talk', 'echo first >&2; read line <"$GATE"; echo second >&2')
    const gate = `${bin.dir}/gate`
    execFileSync('mkfifo', [gate])
    let heard = ''
    await execPlugin(path, conf, {
      env: { ...env, GATE: gate },
      stderr: (chunk) => {
        heard += new TextDecoder().decode(chunk)
        // The plugin ends only if its first line was passed on before.
        if (heard === 'first\n') writeFileSync(gate, 'go\n')
      },
      timeout: 5000,
    })
    expect(heard).toBe('first\nsecond\n')
  })

  test('has its stderr passed on if it fails too', async () => {
    let heard = ''
    const path = bin.script('talk-fail', `echo why >&2; printf '{"code":7,"msg":"bad"}'; exit 1`)
    const stderr = (chunk: Uint8Array) => {
      heard += new TextDecoder().decode(chunk)
    }
    expect(await failure(execPlugin(path, conf, { env, stderr }))).toMatchObject({ code: 7, stderr: 'why\n' })
    expect(heard).toBe('why\n')
  })
})

describe('execWithResult', () => {
  const print = (text: string) => bin.script(`result-${count++}`, `cat >/dev/null; printf '%s' '${text}'`)

  test.each([
    ['null', '1.1.0'],
    ['{}', '1.1.0'],
    ['{"ips":[]}', '1.1.0'],
    ['{"cniVersion":""}', '1.1.0'],
    ['{"cniVersion":"0.2.0"}', '0.2.0'],
    ['{"cniVersion":"1.0.0"}', '1.0.0'],
  ])('%s for a 1.1.0 configuration has the version %s', async (text, version) => {
    expect((await execWithResult(print(text), conf, quiet)).cniVersion).toBe(version)
  })

  test('a result without any version has 0.1.0', async () => {
    expect((await execWithResult(print('{"ip4":{"ip":"10.0.0.2/24"}}'), { name: 'net' }, quiet)).cniVersion).toBe(
      '0.1.0',
    )
  })

  test('the document keeps unknown members, and result is the 1.1.0 model', async () => {
    const path = print('{"cniVersion":"0.2.0","ip4":{"ip":"10.0.0.2/24","x":1},"vendor":{"a":[1]}}')
    const { document, result } = await execWithResult(path, conf, quiet)
    expect(document).toEqual({ cniVersion: '0.2.0', ip4: { ip: '10.0.0.2/24', x: 1 }, vendor: { a: [1] } })
    expect(result.ips).toMatchObject([{ address: '10.0.0.2/24' }])
  })

  test.each([
    ['', 'failed to unmarshal raw result: unexpected end of JSON input'],
    ['oops', /^failed to unmarshal raw result: .*, got "oops"$/],
    ['[]', 'failed to unmarshal raw result: expected a JSON object, got "[]"'],
    ['{"cniVersion":"9.9.9"}', 'failed to unmarshal raw result: unsupported CNI result version "9.9.9"'],
    ['{"ips":[{"address":"10.0.0.1"}]}', /^failed to unmarshal raw result: ips\[0\]\.address: /],
  ])('%j is rejected as a result', async (text, message) => {
    const error = await failure(execWithResult(print(text), conf, quiet))
    expect(error).toBeInstanceOf(InvokeError)
    expect(error).toMatchObject({ code: 'BAD_RESULT' })
    expect(error.message).toMatch(typeof message === 'string' ? exactly(message) : message)
  })
})

test('output of a verb without a result is ignored', async () => {
  bin.script('noise', 'echo noise')
  await expect(callPlugin('DEL', 'noise', conf, { path: [bin.dir] }, quiet)).resolves.toBeUndefined()
})

async function failure(promise: Promise<unknown>): Promise<PluginError> {
  const error: unknown = await promise.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  )
  return error as PluginError
}

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`)
}
