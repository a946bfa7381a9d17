import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { run } from '@cni/host'
import { netns, readFile } from '@cni/netns'
import { ownedNetns, tempNetns } from '@cni/netns/testing'
import { expect, onTestFinished, test } from 'vitest'
import { NODE } from '../../../test/node.ts'
import { throughNsenter } from '../src/enter/start.ts'
import { bundleFixture, runtimes } from './runtimes.ts'

const here = () => readlinkSync('/proc/thread-self/ns/net')
const mounts = () => readlinkSync('/proc/thread-self/ns/mnt')

test('a body that throws leaves the thread in its previous namespace', async () => {
  await using pod = await tempNetns()
  const before = here()
  expect(() =>
    netns.run(pod, () => {
      throw new Error(here())
    }),
  ).toThrow(`net:[${pod.ino}]`)
  expect(here()).toBe(before)
})

test('start starts a program inside, and its deadline works outside', async () => {
  await using pod = await tempNetns()
  const child = netns.start(pod, ['sh', '-c', 'readlink /proc/self/ns/net; exec sleep 60'], { timeout: 300 })
  expect(readlinkSync(`/proc/${child.pid}/ns/net`)).toBe(`net:[${pod.ino}]`)
  await expect(child.done).rejects.toMatchObject({ code: 'TIMEOUT', stdout: `net:[${pod.ino}]\n` })
})

test('a program in a namespace owned by another user namespace is root of that user namespace', async () => {
  await using pod = await ownedNetns()
  const script = 'id -u; cat /proc/self/uid_map; readlink /proc/self/ns/net /proc/self/ns/user'
  const [uid, map, net, user] = (await netns.exec(pod, ['sh', '-c', script])).stdout.trim().split('\n')
  expect([uid, map?.trim().split(/ +/), net]).toEqual(['0', ['0', '100000', '65536'], `net:[${pod.ino}]`])
  expect(user).not.toBe(readlinkSync('/proc/self/ns/user'))
  await expect(netns.exec(pod, ['no-such-program'])).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(netns.exec(pod, ['sh'], { env: { PATH: '/nonexistent' } })).rejects.toMatchObject({ code: 'NO_NSENTER' })
  const child = netns.start(pod, ['sleep', '60'], { timeout: 300 })
  await expect(child.done).rejects.toMatchObject({ code: 'TIMEOUT' })
})

test('starting such programs leaks no descriptor', async () => {
  await using pod = await ownedNetns()
  await netns.exec(pod, ['true'])
  const open = () => readdirSync('/proc/self/fd').length
  const before = open()
  for (let n = 0; n < 5; n += 1) await netns.exec(pod, ['true'])
  expect(open()).toBe(before)
})

test('a failing program is a RunError, a namespace that cannot be entered is a NetnsError', async () => {
  await using pod = await tempNetns()
  await expect(netns.exec(pod, ['sh', '-c', 'exit 3'])).rejects.toMatchObject({ name: 'RunError', exitCode: 3 })
  expect(await netns.exec(pod, ['sh', '-c', 'echo out; exit 3'], { reject: false })).toMatchObject({
    failed: true,
    exitCode: 3,
    stdout: 'out\n',
  })
  const closed = netns.current()
  closed.close()
  await expect(netns.exec(closed, ['true'])).rejects.toMatchObject({ name: 'NetnsError', code: 'CLOSED' })
  await expect(netns.exec(closed, ['true'], { reject: false })).rejects.toMatchObject({ code: 'CLOSED' })
  // @ts-expect-error JavaScript callers may pass this.
  await expect(netns.exec('', ['true'])).rejects.toMatchObject({ code: 'MISSING' })
})

test('a program started through nsenter runs inside and gets its arguments, environment and input', async () => {
  await using pod = await tempNetns()
  const argv = ['sh', '-c', 'readlink /proc/self/ns/net; echo "$1 $X"; cat', 'sh', '--a b'] as const
  const options = { env: { X: 'x y' }, input: 'in' }
  const { stdout } = await run(throughNsenter(pod.fd, argv, options), options)
  expect(stdout).toBe(`net:[${pod.ino}]\n--a b x y\nin`)
})

test("readFile shows the namespace's file, and returns undefined for a missing one", async () => {
  await using pod = await tempNetns()
  const file = '/proc/sys/net/ipv6/conf/lo/disable_ipv6'
  await netns.exec(pod, ['sysctl', '-qw', 'net.ipv6.conf.lo.disable_ipv6=1'])
  expect(await readFile(pod, file)).toBe('1\n')
  expect(await readFile('host', file)).toBe(readFileSync(file, 'utf8'))
  expect(await readFile(pod, '/proc/thread-self/net/if_inet6')).toBe('')
  expect(await readFile(pod, '/proc/sys/net/ipv6/conf/eth7/disable_ipv6')).toBeUndefined()
  await expect(readFile(pod, '/proc')).rejects.toMatchObject({ code: 'EISDIR' })
})

test.each([
  [
    'sys_admin',
    'enter',
    /^NetnsError: Could not enter .*: setns \d+: EPERM \(needs CAP_SYS_ADMIN: this process lacks CAP_SYS_ADMIN\)$/,
  ],
  ['sys_chroot', 'shield', /^NetnsError: No shield: setns \d+: EPERM \(needs .*: this process lacks CAP_SYS_CHROOT\)$/],
  ['sys_admin', 'create', /^NetnsError: Could not prepare the folder .*: EPERM \(needs CAP_SYS_ADMIN: .*\)$/],
])('without CAP_%s the error names the capability: %s', async (capability, what, message) => {
  await using pod = await tempNetns()
  const code = `
    import { netns, readFile } from '@cni/netns'
    const tell = (error) => void process.stdout.write(String(error))
    try {
      if ('${what}' === 'create') netns.create('never', { dir: process.env.DIR })
      using pod = netns.open('${pod.path}')
      const shield = '${what}' === 'shield' ? [{ source: '/dev/null', target: '/etc/hostname' }] : undefined
      netns.run(pod, () => {}, { shield, onShieldError: tell })
    } catch (error) {
      tell(error)
    }`
  const dir = mkdtempSync(join(tmpdir(), 'cni-netns-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const drop = ['setpriv', `--bounding-set=-${capability}`, `--inh-caps=-${capability}`] as const
  const program = [...NODE, '--input-type=module', '--eval', code] as const
  const cwd = new URL('..', import.meta.url).pathname
  const { stdout } = await run([...drop, ...program], { cwd, env: { ...process.env, DIR: dir } })
  expect(stdout).toMatch(message)
})

test('a socket opened inside stays inside', async () => {
  await using pod = await tempNetns()
  const server = createServer()
  // Node.js binds a socket without a host at once. It would look up a given host first and bind outside.
  netns.run(pod, () => void server.listen(0))
  await new Promise((resolve) => server.on('listening', resolve))
  const { stdout } = await netns.exec(pod, ['cat', '/proc/net/tcp6'])
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('not listening')
  const port = address.port.toString(16).toUpperCase().padStart(4, '0')
  expect(stdout).toContain(`:${port} `)
  expect(readFileSync('/proc/net/tcp6', 'utf8')).not.toContain(`:${port} `)
  await new Promise((resolve) => server.close(resolve))
})

test('the shield still covers a running program after the thread has returned', async () => {
  await using pod = await tempNetns()
  const before = mounts()
  const shield = [{ source: '/dev/null', target: '/etc/hostname' }]
  const child = netns.start(pod, ['sh', '-c', 'read go; wc -c < /etc/hostname'], { shield, input: 'go\n' })
  expect(mounts()).toBe(before)
  expect((await child.done).stdout.trim()).toBe('0')
  expect(readFileSync('/etc/hostname', 'utf8')).not.toBe('')
})

test('the body runs without the shield if its target is missing, and the reason is reported', async () => {
  await using pod = await tempNetns()
  const before = mounts()
  const errors: unknown[] = []
  const shield = [{ source: '/dev/null', target: '/no/such/file' }]
  const inside = netns.run(pod, () => [here(), mounts()], { shield, onShieldError: (error) => errors.push(error) })
  expect(inside).toEqual([`net:[${pod.ino}]`, before])
  expect(errors).toEqual([
    expect.objectContaining({
      code: 'ENOENT',
      message: expect.stringContaining('No shield: mount /dev/null on /no/such/file'),
    }),
  ])
})

test('a shield works on the host as well', () => {
  const before = [here(), mounts()]
  const shield = [{ source: '/dev/null', target: '/etc/hostname' }]
  expect(netns.run('host', () => readFileSync('/etc/hostname', 'utf8'), { shield })).toBe('')
  expect([here(), mounts()]).toEqual(before)
})

test('a thread started under the shield does not prevent the return', async () => {
  const shield = [{ source: '/dev/null', target: '/etc/hostname' }]
  const worker = netns.run('host', () => new Worker('', { eval: true }), { shield })
  expect(readFileSync('/etc/hostname', 'utf8')).not.toBe('')
  await worker.terminate()
})

test('the working directory survives a shield, even if the folder has been deleted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cni-netns-test-'))
  const gone = join(folder, 'gone')
  mkdirSync(gone)
  const before = process.cwd()
  process.chdir(gone)
  try {
    rmdirSync(gone)
    netns.run('host', () => {}, { shield: [{ source: '/dev/null', target: '/etc/hostname' }] })
    expect(readlinkSync('/proc/thread-self/cwd')).toBe(`${gone} (deleted)`)
  } finally {
    process.chdir(before)
    rmSync(folder, { recursive: true })
  }
})

test('a shield does not escape from a chroot', async () => {
  const bundle = await bundleFixture()
  const folder = mkdtempSync(join(tmpdir(), 'cni-netns-test-'))
  try {
    // The chroot is a bind mount of the same tree. A file that exists only in the outer root tells them apart.
    const script = `
      set -e
      mount --rbind / ${folder}
      exec chroot ${folder} "$@"`
    const { stdout } = await run(
      [
        'unshare',
        '--mount',
        '--propagation',
        'private',
        'sh',
        '-c',
        script,
        'sh',
        runtimes.node26,
        bundle.cjs,
        'chroot',
      ],
      { timeout: 20_000 },
    )
    expect(JSON.parse(stdout)).toEqual({ shielded: '', sameRoot: true })
  } finally {
    bundle.remove()
    rmSync(folder, { recursive: true })
  }
})

test('no descriptor and no namespace leaks', async () => {
  await using pod = await tempNetns()
  const count = () => readdirSync('/proc/self/fd').length
  const shield = [{ source: '/dev/null', target: '/etc/hostname' }]
  netns.run(pod, () => 0, { shield })
  const before = count()
  for (let i = 0; i < 20; i++) {
    netns.run(pod, () => netns.run('host', () => 0))
    netns.run(pod, () => 0, { shield })
    netns.run(pod, () => 0, { shield: [{ source: '/nope', target: '/nope' }] })
  }
  expect(count()).toBe(before)
})
