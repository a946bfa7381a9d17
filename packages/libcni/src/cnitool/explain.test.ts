import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { cnitoolWorld, result } from '../../test/cnitool-world.ts'
import { containerIDOf } from './settings.ts'

const world = cnitoolWorld()
const { cnitool } = world
const id = containerIDOf('/ns/1')

describe('explain', () => {
  test('prints every execution of an add as a shell command, and executes nothing', async () => {
    const { exitCode, stdout, stderr, log } = await cnitool(['explain', 'add', 'pods', '/ns/1'], {
      env: { CNI_PATH: '/a:/b', CNI_ARGS: 'A=1;B=2' },
    })
    expect({ exitCode, stderr, log }).toEqual({ exitCode: 0, stderr: '', log: [] })
    const env = `CNI_CONTAINERID=${id} CNI_NETNS=/ns/1 CNI_ARGS='A=1;B=2' CNI_IFNAME=eth0 CNI_PATH=/a:/b`
    expect(stdout).toBe(`# ADD of network "pods", cniVersion "1.0.0": 2 executions

# 1/2 ADD a for ${id}/eth0
CNI_COMMAND=ADD ${env} \\
  /fake/a <<'EOF'
{
  "cniVersion": "1.0.0",
  "name": "pods",
  "type": "a"
}
EOF

# 2/2 ADD b for ${id}/eth0
# "prevResult" is added: the output of the previous plugin
CNI_COMMAND=ADD ${env} \\
  /fake/b <<'EOF'
{
  "cniVersion": "1.0.0",
  "name": "pods",
  "type": "b"
}
EOF
`)
    expect(existsSync(`${world.temp.dir}/cache`)).toBe(false)
  })

  test.each(['add', 'check', 'del', 'gc', 'status'])('%s --dry-run prints the same', async (verb) => {
    await cnitool(['add', 'pods', '/ns/1'])
    const target = verb === 'gc' || verb === 'status' ? ['pods'] : ['pods', '/ns/1']
    const explained = await cnitool(['explain', verb, ...target])
    const dry = await cnitool([verb, ...target, '--dry-run'])
    expect(dry).toMatchObject({ exitCode: 0, stdout: explained.stdout, log: [] })
    expect(existsSync(`${world.temp.dir}/cache/results/pods-${id}-eth0`)).toBe(true)
  })

  test('a del has the reverse order and the cached result', async () => {
    await cnitool(['add', 'pods', '/ns/1'])
    const { stdout } = await cnitool(['explain', 'del', 'pods', '/ns/1', '--json'])
    const { calls, notes } = JSON.parse(stdout)
    expect(notes).toEqual([])
    expect(calls).toMatchObject([
      { command: 'DEL', type: 'b', executable: '/fake/b', prevResult: 'cache', stdin: { prevResult: result } },
      { command: 'DEL', type: 'a', executable: '/fake/a', prevResult: 'cache', env: { CNI_CONTAINERID: id } },
    ])
  })

  test('a gc lists what it would delete', async () => {
    await cnitool(['add', 'pods', '/ns/1'])
    await cnitool(['add', 'pods', '/ns/2'])
    const { stdout } = await cnitool(['gc', 'pods', '--dry-run', '--keep', `${containerIDOf('/ns/2')}/eth0`])
    expect(stdout).toContain(`# 1/2 DEL b for ${id}/eth0`)
    expect(stdout).not.toContain(containerIDOf('/ns/2'))
    expect(stdout).toContain('# the list is older than cniVersion 1.1.0: plugins are not asked for GC')
  })

  test('a missing plugin, an unreadable cache and a list without calls are remarks, not errors', async () => {
    const gone = await cnitool(['explain', 'add', 'pods', '/ns/1'], { plugins: { a: {} } })
    expect(gone).toMatchObject({ exitCode: 0 })
    expect(gone.stdout).toContain('# cannot be run: failed to find plugin "b" in path')
    const file = world.temp.write(`cache/results/pods-${id}-eth0`, '')
    const torn = await cnitool(['explain', 'del', 'pods', '/ns/1'])
    expect(torn.stdout).toContain(`# DEL runs without a result and removes its cache file: ${file}: not a cache file`)
    expect(readFileSync(file, 'utf8')).toBe('')
    const ready = await cnitool(['explain', 'status', 'pods'])
    expect(ready.stdout).toBe(
      '# STATUS of network "pods", cniVersion "1.0.0": 0 executions\n' +
        '# the list is older than cniVersion 1.1.0: STATUS runs nothing\n',
    )
  })
})
