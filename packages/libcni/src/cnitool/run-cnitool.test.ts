import { readFileSync } from 'node:fs'
import { outcome } from '@cni/invoke/testing'
import { CniError } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { cnitoolWorld, result } from '../../test/cnitool-world.ts'
import { containerIDOf } from './settings.ts'

const world = cnitoolWorld()
const { cnitool } = world

describe('cnitool', () => {
  test.each([
    ['/var/run/netns/testing', 'cnitool-77383ca0a0715733ca6f'],
    ['/var/run/netns/cnitest', 'cnitool-20c433bb2b1d6ede56d6'],
  ])('the namespace %s has the container id %s', (netns, id) => {
    expect(containerIDOf(netns)).toBe(id)
  })

  test('add prints the result and nothing else', async () => {
    const { exitCode, stdout, stderr, log } = await cnitool(['add', 'pods', '/var/run/netns/testing'])
    expect(exitCode).toBe(0)
    expect(stdout).toBe(
      [
        '{',
        '    "cniVersion": "1.0.0",',
        '    "ips": [',
        '        {',
        '            "address": "10.0.0.2/24"',
        '        }',
        '    ],',
        '    "vendor": {',
        '        "kept": true',
        '    }',
        '}',
      ].join('\n'),
    )
    expect(stderr).toBe('')
    expect(log).toEqual(['ADD a', 'ADD b'])
  })

  test('check, del, gc and status print nothing', async () => {
    await cnitool(['add', 'pods', '/ns'])
    for (const argv of [
      ['check', 'pods', '/ns'],
      ['del', 'pods', '/ns'],
      ['gc', 'pods'],
      ['status', 'pods', '/ns'],
    ]) {
      expect(await cnitool(argv)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
    }
  })

  test('passes the same variables to plugins as the original', async () => {
    const env = { CNI_PATH: '/a:/b', CNI_ARGS: 'A=1;B=2', CAP_ARGS: '{"mac":"02:00"}', CNI_IFNAME: 'net1' }
    const { calls } = await cnitool(['add', 'pods', 'relative/ns'], { env })
    expect(calls[0]?.env).toMatchObject({
      CNI_CONTAINERID: containerIDOf('/work/dir/relative/ns'),
      CNI_NETNS: '/work/dir/relative/ns',
      CNI_ARGS: 'A=1;B=2',
      CNI_IFNAME: 'net1',
      CNI_PATH: '/a:/b',
    })
  })

  test.each([
    [['-i', 'eth7'], 'eth7'],
    [['--ifname=eth8'], 'eth8'],
    [[], 'eth0'],
  ])('with %j the interface is %s', async (flags, ifName) => {
    const { calls } = await cnitool(['add', ...flags, 'pods', '/ns'])
    expect(calls[0]?.env.CNI_IFNAME).toBe(ifName)
  })

  test('without CNI_PATH it searches the folders of distributions, and the flag has priority', async () => {
    const paths = async (argv: string[], env?: object) =>
      (await cnitool(['status', 'pods', ...argv], { plugins: {}, ...(env ? { env } : {}) })).exitCode
    expect(await paths([])).toBe(0)
    const { calls } = await cnitool(['add', 'pods', '/ns'])
    expect(calls[0]?.env.CNI_PATH).toBe('/opt/cni/bin:/usr/lib/cni:/usr/libexec/cni')
    const flag = await cnitool(['add', 'pods', '/ns', '--cni-path', '/x::/y'], { env: { CNI_PATH: '/z' } })
    expect(flag.calls[0]?.env.CNI_PATH).toBe('/x:/y')
  })

  test('--conf takes a file instead of a name, and a given name must match', async () => {
    const file = world.temp.write('mine.conflist', { cniVersion: '1.0.0', name: 'mine', plugins: [{ type: 'a' }] })
    expect((await cnitool(['add', '--conf', file, '/ns'])).log).toEqual(['ADD a'])
    expect((await cnitool(['del', '--conf', file, 'mine', '/ns'])).log).toEqual(['DEL a'])
    expect((await cnitool(['gc', '--conf', file])).exitCode).toBe(0)
    const wrong = await cnitool(['add', '--conf', file, 'pods', '/ns'])
    expect(wrong.stderr).toContain(`Error: ${file} is the network "mine", not "pods"`)
    expect(wrong.log).toEqual([])
  })

  test('gc deletes every cached attachment of the network', async () => {
    await cnitool(['add', 'pods', '/ns'])
    expect((await cnitool(['gc', 'pods', '/ns'])).log).toEqual(['DEL b', 'DEL a'])
  })

  test("validate and version print the plugins' versions", async () => {
    expect((await cnitool(['validate', 'pods'])).stdout).toBe('pods: a, b support 1.0.0\n')
    expect(JSON.parse((await cnitool(['validate', 'pods', '--json'])).stdout)).toEqual({
      name: 'pods',
      cniVersion: '1.0.0',
      plugins: ['a', 'b'],
      capabilities: [],
    })
    expect((await cnitool(['version', 'a', 'b'])).stdout).toMatch(/^a: 0\.1\.0 .* 1\.1\.0\nb: /)
    expect(JSON.parse((await cnitool(['version', 'a', '--json'])).stdout).a).toContain('1.1.0')
  })

  test.each([[[]], [['--help']], [['help']]])('%j prints help on stdout', async (argv) => {
    const { exitCode, stdout } = await cnitool(argv)
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^Usage: cnitool COMMAND/)
  })

  const commands = ['add', 'check', 'del', 'gc', 'status', 'explain', 'validate', 'version', 'cache']

  test.each(commands)('%s has its own help and runs nothing', async (command) => {
    const { exitCode, stdout, log } = await cnitool([command, '--help'])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(new RegExp(`^Usage: cnitool ${command} `))
    expect(stdout).toMatch(/^Exit codes: 0 done, 1 /m)
    expect((await cnitool(['help', command])).stdout).toBe(stdout)
    expect((await cnitool(['--help'])).stdout).toContain(`\n  ${command} `)
    expect(log).toEqual([])
  })

  test('gc keeps the attachments of --keep, in any notation', async () => {
    const [one, two] = [containerIDOf('/ns/1'), containerIDOf('/ns/2')]
    const add = async () => {
      for (const netns of ['/ns/1', '/ns/2', '/ns/3']) await cnitool(['add', 'pods', netns])
    }
    await add()
    const { calls } = await cnitool(['gc', 'pods', '--keep', `${one}/eth0,${two}/eth0`])
    expect(calls.map(({ env }) => env.CNI_NETNS)).toEqual(['/ns/3', '/ns/3'])
    await add()
    const again = await cnitool(['gc', 'pods', '--keep', `${one}/eth0`, '--keep', `${two}/eth1`])
    expect(new Set(again.calls.map(({ env }) => env.CNI_NETNS))).toEqual(new Set(['/ns/2', '/ns/3']))
  })

  test('gc passes the valid attachments to plugins of version 1.1.0', async () => {
    const list = { cniVersion: '1.1.0', name: 'new', plugins: [{ type: 'a' }] }
    const file = world.temp.write('new.conflist', list)
    const { calls } = await cnitool(['gc', '--conf', file, '--keep', 'c1/eth0'])
    expect(calls[0]?.conf['cni.dev/valid-attachments']).toEqual([{ containerID: 'c1', ifname: 'eth0' }])
  })
})

describe('an error', () => {
  const bad = { a: { ADD: result }, b: () => Promise.reject(new CniError(7, 'bad', { details: 'dd' })) }

  test('is printed on stderr with advice, and the exit code is 1', async () => {
    const { exitCode, stdout, stderr } = await cnitool(['add', 'pods', world.temp.dir], { plugins: bad })
    expect(exitCode).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toBe(
      'Error: plugin type="b" failed (add): bad; dd\n' +
        `Hint: the changes of the plugins before remain; undo them with: cnitool del pods ${world.temp.dir} --cache-dir ${world.temp.dir}/cache\n`,
    )
  })

  test('is a CNI error document on stdout with --json', async () => {
    const { exitCode, stdout, stderr } = await cnitool(['del', 'pods', world.temp.dir, '--json'], { plugins: bad })
    expect(exitCode).toBe(1)
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({
      cniVersion: '1.0.0',
      code: 7,
      msg: 'plugin type="b" failed (delete): bad; dd',
    })
  })

  test('contains no control characters, and a trace does not either', async () => {
    const hostile = { a: () => Promise.reject(new CniError(7, 'bad\u001b[2J\u009b2J\u202e\u2066')) }
    const { stderr } = await cnitool(['add', 'pods', world.temp.dir, '--trace'], { plugins: hostile })
    expect(stderr).toContain('bad\\u001b[2J\\u009b2J\\u202e\\u2066')
    expect(stderr).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}/u)
  })

  test('is red only if colour is set', async () => {
    expect((await cnitool(['add'], { colour: true })).stderr).toContain('\x1b[31mError:\x1b[0m')
    expect((await cnitool(['add'])).stderr).not.toContain('\x1b')
  })

  test.each([
    [
      ['frob'],
      {},
      'unknown command "frob", expected one of add, check, del, gc, status, explain, validate, version, cache',
    ],
    [['add', 'pods'], {}, 'add needs NETWORK and NETNS, got 1 argument(s)'],
    [['add', '--conf', 'x'], {}, 'add needs NETNS, got 0 argument(s)'],
    [['gc'], {}, 'gc needs NETWORK, got 0 argument(s)'],
    [['version'], {}, 'version needs PLUGIN, got no argument'],
    [['add', 'pods', ''], {}, 'add: NETNS is empty'],
    [['add', 'pods', '/ns', '--frob'], {}, 'unknown flag --frob'],
    [['gc', 'pods', '--keep', 'c1'], {}, 'invalid --keep "c1", expected ID/IFNAME'],
    [['gc', 'pods', '--keep', ''], {}, 'flag --keep has the value "": expected at least one'],
    [['statsu', 'pods'], {}, 'unknown command "statsu", did you mean status?'],
    [['add', 'pods', '/ns', '--trce'], {}, 'unknown flag --trce, did you mean --trace?'],
    [['del', 'pods', '/ns', '--keep', 'c1/eth0'], {}, '--keep is for gc, explain, not for del'],
    [['add', 'pods', '/ns', '--continue'], {}, '--continue is for del, not for add'],
    [['explain', 'del', 'pods', '/ns', '--keep', 'c1/eth0'], {}, '--keep is for gc, not for del'],
    [['explain'], {}, 'explain needs VERB and NETWORK, got no argument'],
    [['explain', 'validate', 'pods'], {}, 'explain: unknown verb "validate"'],
    [['explain', 'add', 'pods'], {}, 'add needs NETWORK and NETNS, got 1 argument(s)'],
    [['version', 'a', '--dry-run'], {}, '--dry-run is for add, check, del, gc, status, not for version'],
    [['cache', 'list', '--trace'], {}, '--trace is for add, '],
    [['cache'], {}, 'cache needs list or show, got no argument'],
    [['cache', 'drop'], {}, 'cache: unknown "drop", expected list or show'],
    [['cache', 'show'], {}, 'cache show needs ID, ID/IFNAME or NETNS'],
    [['add', 'pods', '/ns', '--timeout', 'soon'], {}, 'flag --timeout has the value "soon": expected seconds'],
    [['add', 'pods', '/ns'], { CNI_ARGS: 'A=' }, 'invalid CNI_ARGS pair "A="'],
    [['add', 'pods', '/ns'], { CNI_ARGS: 'A=1;' }, 'invalid CNI_ARGS pair ""'],
    [['add', 'pods', '/ns'], { CNI_ARGS: 'A=1=2' }, 'invalid CNI_ARGS pair "A=1=2"'],
    [['add', 'pods', '/ns'], { CAP_ARGS: '[1]' }, 'invalid CAP_ARGS "[1]", expected a JSON object'],
    [['add', 'pods', '/ns'], { CAP_ARGS: '{' }, 'invalid CAP_ARGS "{", expected a JSON object: '],
  ])('in usage names the argument and points to the help: %j %j', async (argv, env, message) => {
    const { exitCode, stderr, log } = await cnitool(argv, { env })
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr).toContain("Hint: run 'cnitool --help' for usage")
    expect(log).toEqual([])
  })

  test('in usage is not reported for --version', async () => {
    const { exitCode, stdout } = await cnitool(['--version'])
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^cnitool \d+\.\d+\.\d+ \(node .*\), CNI 1\.1\.0\n$/)])
  })

  test('in usage is JSON too', async () => {
    const { stdout } = await cnitool(['frob', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ cniVersion: '1.1.0', code: 4 })
  })

  test.each([
    [['add', 'gone', '/ns'], {}, 'no net configuration with name "gone"', 'there are: pods'],
    [
      ['add', 'pods', '/ns', '--conf-dir', '/nonexist'],
      {},
      'no net configurations found in /nonexist',
      'pass --conf FILE',
    ],
    [['add', 'pods', '/ns'], { plugins: {} }, 'failed to find plugin "a"', 'install the plugin'],
    [['add', 'pods', '/nonexist/ns'], { plugins: bad }, 'bad; dd', 'there is no /nonexist/ns'],
    [
      ['del', 'pods', '/'],
      { plugins: { a: {}, b: () => outcome({ exitCode: 1, stdout: '{"code":11,"msg":"locked"}' }) } },
      'locked',
      'trying again later may help',
    ],
  ])('has advice: %j', async (argv, more, message, hint) => {
    const { stderr } = await cnitool(argv, more)
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
  })

  test('printed by a plugin on stderr is passed on', async () => {
    const { stderr } = await cnitool(['status', 'pods'], {})
    expect(stderr).toBe('')
    const noisy = { a: () => outcome({ stderr: 'warning: é\n', stdout: '{}' }), b: {} }
    expect((await cnitool(['add', 'pods', '/ns'], { plugins: noisy })).stderr).toBe('warning: é\n')
  })
})

test('--cache-dir sets the cache folder', async () => {
  await cnitool(['add', 'pods', '/var/run/netns/testing'])
  const file = `${world.temp.dir}/cache/results/pods-cnitool-77383ca0a0715733ca6f-eth0`
  expect(JSON.parse(readFileSync(file, 'utf8')).result).toEqual(result)
})
