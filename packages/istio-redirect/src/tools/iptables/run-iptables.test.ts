import { describe, expect, test } from 'vitest'
import { type Machine, tools } from '../../../test/tools/tools-io.ts'

const resolv = { '/etc/resolv.conf': '# none\nsearch x\nnameserver 10.0.0.10\nnameserver fd00::10\nnameserver x\n' }

/** Command lines of the injector, of an administrator and of a virtual machine. */
const dryRuns: ReadonlyArray<readonly [name: string, argv: string, machine?: Machine]> = [
  ['defaults', ''],
  [
    'injected',
    '-p 15001 -z 15006 -u 1337 -m REDIRECT -i * --istio-service-exclude-cidr= -b * -d 15090,15021,15020 --log_output_level=default:info',
  ],
  ['lists', '-i 10.0.0.0/8,fd00::/8 -x=10.1.0.0/16 -b 80,8000:8999 -q 9443 -o 5432,5432 -c eth1 -k net1'],
  ['tproxy', '-m TPROXY -b 80 -t 7 -r 8 --dual-stack'],
  ['ids', '--proxy-uid 3,4 --proxy-gid=1,istio'],
  ['dns', '--redirect-dns --dual-stack', { files: resolv }],
  ['dns-all', '-b * --redirect-dns --capture-all-dns --drop-invalid'],
  [
    'variables',
    '-b 80',
    { env: { ISTIO_INBOUND_PORTS: '81', ISTIO_SERVICE_CIDR: '*', PROXY_UID: '7', INVALID_DROP: '1' } },
  ],
  ['owner-groups', '-i *', { env: { ISTIO_OUTBOUND_OWNER_GROUPS: 'java,202,' } }],
  ['commands', '-b 80 --restore-format=false'],
  ['clean-up', '-b 80 -m TPROXY --cleanup-only'],
  ['native', '--native-nftables -i * -b 80,8000-8999 -o 5432 -k net1 --dual-stack'],
  [
    'native-tproxy',
    '--native-nftables -m TPROXY -b * -d 15021 -u app,7-9 -c drop --redirect-dns --drop-invalid',
    { files: { ...resolv, '/etc/passwd': 'root:x:0:0::/:\napp:x:77:78::/:\n', '/etc/group': 'app:x:78:\n' } },
  ],
  ['native-clean-up', '--native-nftables -b 80 --cleanup-only'],
  ['ipv6-only', '-b *', { addresses: ['::1/128', 'fe80::1/64', 'fd00::3/64'] }],
]

describe('istio-redirect iptables --dry-run', () => {
  test.each(dryRuns.map(([name, argv, machine]) => ({ name, argv, machine })))(
    '$name: prints the changes',
    async ({ name, argv, machine }) => {
      const { exitCode, stdout, stderr } = await tools(['iptables', '-n', ...argv.split(' ').filter(Boolean)], machine)
      expect([exitCode, stderr]).toEqual([0, ''])
      await expect(stdout.replace(/^Istio config:\n(?:\w+=.*\n)*/m, '')).toMatchFileSnapshot(
        `../../../test/goldens/tools/${name}.txt`,
      )
    },
  )

  test('writes the input of the programs to DRY_RUN_FILE_PATH', async () => {
    const { written } = await tools(['iptables', '-n', '-b', '80', '--dual-stack'], {
      env: { DRY_RUN_FILE_PATH: '/out' },
    })
    const lines = written['/out']?.split('\n') ?? []
    expect(lines.slice(0, 3)).toEqual(['iptables-save', 'ip6tables-save', '* nat'])
    expect(lines.slice(-4)).toEqual(['COMMIT', 'iptables-save', 'ip6tables-save', ''])
    expect(lines).toContain('-A ISTIO_OUTPUT -o lo -s ::6/128 -j RETURN')
  })

  test('behaves the same when called as istio-iptables', async () => {
    const ours = await tools(['iptables', '-n', '-b', '80'])
    expect(await tools(['-n', '-b', '80'], { calledAs: 'istio-iptables' })).toEqual(ours)
  })
})

describe('a flag', () => {
  const uid = async (argv: readonly string[], machine?: Machine) =>
    /PROXY_UID=(.*)/.exec((await tools(['iptables', ...argv], machine)).stdout)?.[1]

  test.each([
    ['--proxy-uid=5'],
    ['--proxy-uid 5'],
    ['-u5'],
    ['-u=5'],
    ['-u 5'],
    ['-u 4 -u 5'],
    ['-nu 5'],
    ['-n=true -nu5'],
  ])('is accepted in the form %s', async (text) => {
    expect(await uid(['-n', ...text.split(' ')])).toBe('5')
  })

  test('wins over its variable, even an empty one', async () => {
    expect(await uid(['-n', '-u', '5'], { env: { PROXY_UID: '6' } })).toBe('5')
    expect(await uid(['-n'], { env: { PROXY_UID: '6' } })).toBe('6')
    expect(await uid(['-n', '-u', ''], { env: { PROXY_UID: '6' } })).toBe('1337')
  })

  test('for the proxy’s user defaults to the user that ENVOY_USER names', async () => {
    const files = { '/etc/passwd': 'root:x:0:0::/:\nistio-proxy:x:77:78::/:\nme:x:99:99::/:\n' }
    expect(await uid(['-n'], { files })).toBe('77')
    expect(await uid(['-n'], { files, env: { ENVOY_USER: 'me' } })).toBe('99')
    expect(await uid(['-n'], { files, env: { ENVOY_USER: 'nobody' } })).toBe('1337')
  })

  test('has a second variable, which wins over the first', async () => {
    const dns = async (env: Readonly<Record<string, string>>) =>
      (await tools(['iptables', '-n', '--capture-all-dns'], { env })).stdout.includes('DNS_CAPTURE=true')
    expect(await dns({ REDIRECT_DNS: 'false', ISTIO_META_DNS_CAPTURE: 'true' })).toBe(true)
    expect(await dns({ REDIRECT_DNS: 'true', ISTIO_META_DNS_CAPTURE: 'false' })).toBe(false)
    expect(await dns({ REDIRECT_DNS: 'true', ISTIO_META_DNS_CAPTURE: '' })).toBe(false)
  })

  test.each([
    ['--bogus', 'unknown flag --bogus'],
    ['--reconcil', 'unknown flag --reconcil, did you mean --reconcile?'],
    ['-Z', 'unknown flag -Z in "-Z"'],
    ['-p', 'flag -p needs a value'],
    ['--drop-invalid=maybe', 'flag --drop-invalid has the value "maybe": expected true or false'],
    ['--probe-timeout 5', 'flag --probe-timeout has the value "5": expected a duration such as 5s, 500ms or 1m30s'],
    ['--iptables-probe-port 70000', 'expected a number from 0 to 65535'],
    ['version', 'unexpected argument "version"'],
  ])('causes exit code 1 if it is invalid (%s), as with istio-iptables', async (argv, message) => {
    const { exitCode, stdout, stderr } = await tools(['iptables', '-n', ...argv.split(' ')])
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toContain(message)
  })

  test.each([
    ['-b 80,x', '--istio-inbound-ports is "80,x": "x" is not a port (0 to 65535)'],
    ['-b 9:8', 'the range 9:8 ends before it begins'],
    ['-i 10.0.0.0', '--istio-service-cidr is "10.0.0.0"'],
    ['-x *', '--istio-service-exclude-cidr is "*"'],
    ['-u -1', '--proxy-uid is "-1"'],
    ['-c a/b', '--istio-exclude-interfaces is "a/b"'],
    ['-p 1,2', '--envoy-port is "1,2": expected one port'],
    ['-m TPROXY -t 0x10', '--istio-inbound-tproxy-mark is "0x10"'],
    ['--force-iptables-binary x', '--force-iptables-binary is "x", expected legacy or nft'],
    ['--native-nftables -u nobody', '/etc/passwd has no "nobody": write its id'],
  ])('with an invalid value (%s) fails before any change', async (argv, message) => {
    const { exitCode, stdout, written } = await tools(['iptables', '-n', ...argv.split(' ')], {
      env: { DRY_RUN_FILE_PATH: '/out' },
    })
    expect(exitCode).toBe(1)
    expect(stdout).toContain(`\terror\t`)
    expect(stdout).toContain(message)
    expect(written).toEqual({})
  })
})

test.each([
  [{ ISTIO_OUTBOUND_OWNER_GROUPS: Array.from({ length: 65 }, (_, i) => i).join() }, 'lists 65 groups, at most 64'],
  [{ ISTIO_OUTBOUND_OWNER_GROUPS: 'a b' }, '"a b" is not an id'],
  [{ ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR: '10.0.0.0/8' }, 'expected a range inside 127.0.0.0/8'],
] as const)('a variable without a flag is validated: %j', async (env, message) => {
  const { exitCode, stdout } = await tools(['iptables', '-n'], { env })
  expect(exitCode).toBe(1)
  expect(stdout).toContain(message)
})

test('a boolean variable with an invalid value is false, with a warning', async () => {
  const { exitCode, stdout } = await tools(['iptables', '-n'], { env: { DROP_INVALID: 'yes' } })
  expect(exitCode).toBe(0)
  expect(stdout).toContain('environment variable DROP_INVALID is "yes": expected true or false; taken as false')
})

test('a machine without a usable address is an error', async () => {
  const { exitCode, stdout } = await tools(['iptables', '-n'], { addresses: ['127.0.0.1/8', 'fe80::1/64'] })
  expect(exitCode).toBe(1)
  expect(stdout).toContain('no valid local IP address found')
})

test('--json prints one document, and messages go to stderr', async () => {
  const { stdout, stderr } = await tools(['iptables', '-n', '--json'])
  expect(JSON.parse(stdout)).toEqual({ plan: 'dry-run', hostIP: '10.1.2.3' })
  expect(stderr).toContain('Running iptables restore')
})

test('--help names every flag and variable', async () => {
  const { exitCode, stdout } = await tools(['iptables', '--help'])
  expect(exitCode).toBe(0)
  for (const text of ['-p, --envoy-port', 'ISTIO_META_DNS_CAPTURE', '126', '--iptables-version']) {
    expect(stdout).toContain(text)
  }
})
