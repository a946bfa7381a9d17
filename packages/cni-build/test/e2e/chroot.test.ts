import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Call, type Disk, inChroot } from './chroot/in-chroot.ts'

const executable = (name: string): string => fileURLToPath(new URL(`../../../../dist/bin/${name}`, import.meta.url))
const plugins = [
  ['hello-chain', executable('hello-chain')],
  ['istio-cni', executable('istio-cni')],
] as const

const pod = { CNI_CONTAINERID: 'c1', CNI_NETNS: '/pod', CNI_IFNAME: 'eth0', CNI_PATH: '/opt/cni/bin' }
const prevResult = { cniVersion: '1.1.0', interfaces: [{ name: 'eth0', sandbox: '/pod' }] }
const kubernetes = { kubeconfig: '/kubeconfig', exclude_namespaces: ['kube-system'] }
const conf = JSON.stringify({ cniVersion: '1.1.0', name: 'net', type: 'x', port: 15001, kubernetes, prevResult })
const skipped = { ...pod, CNI_ARGS: 'K8S_POD_NAMESPACE=kube-system;K8S_POD_NAME=web-0' }

/** Expected result of a call in any environment. */
interface Row {
  call: Omit<Call, 'executable'>
  exitCode: number
  stdout: RegExp
  stderr?: RegExp
  /** Expected result if the file system is full. */
  onFullDisk?: Pick<Row, 'exitCode' | 'stdout' | 'stderr'>
}

const rows: Record<string, Row> = {
  VERSION: { call: { env: { CNI_COMMAND: 'VERSION' } }, exitCode: 0, stdout: /"supportedVersions"/ },
  'VERSION without a stdin': {
    call: { env: { CNI_COMMAND: 'VERSION' }, stdin: { closed: true } },
    exitCode: 0,
    stdout: /"supportedVersions"/,
  },
  'ADD without a stdin': {
    call: { env: { CNI_COMMAND: 'ADD', ...pod }, stdin: { closed: true } },
    exitCode: 1,
    stdout: /"code": [56],/,
  },
  'ADD of garbage': {
    call: { env: { CNI_COMMAND: 'ADD', ...pod }, stdin: 'garbage' },
    exitCode: 1,
    stdout: /"code": 6,/,
  },
  'DEL of a pod whose namespace is gone': {
    call: { env: { CNI_COMMAND: 'DEL', ...pod, CNI_NETNS: '' }, stdin: conf },
    exitCode: 0,
    stdout: /^$/,
  },
  'a stdout that takes nothing': {
    call: { env: { CNI_COMMAND: 'VERSION' }, stdout: '/dev/full' },
    exitCode: 1,
    stdout: /^$/,
    stderr: /could not write the result to stdout: ENOSPC/,
  },
}

const addInNamespace = {
  call: { env: { CNI_COMMAND: 'ADD', ...pod, CNI_ARGS: 'K8S_POD_NAMESPACE=web;K8S_POD_NAME=web-0' }, stdin: conf },
}

/**
 * VERSION and invalid calls of each plugin. Rules need no program; a plugin that asks the API server has to know its
 * address.
 */
const ownRows: Readonly<Record<string, Record<string, Row>>> = {
  'hello-chain': {
    'ADD in a network namespace, without iptables': {
      ...addInNamespace,
      exitCode: 0,
      stdout: /"sandbox":"\/pod"/,
      // The attachment is recorded before the first rule is written.
      onFullDisk: { exitCode: 1, stdout: /ENOSPC/ },
    },
  },
  'istio-cni': {
    'ADD in a network namespace, without a kubeconfig': {
      ...addInNamespace,
      exitCode: 1,
      stdout: /cannot read \/kubeconfig/,
    },
  },
}

beforeAll(() => {
  for (const [, path] of plugins) if (!existsSync(path)) throw new Error(`${path} is missing: npm run build`)
})

describe.each(plugins)('%s, in a root with only /proc', (name, path) => {
  describe.each<Disk>(['writable', 'read-only', 'full'])('on a disk that is %s', (disk) => {
    it.each(Object.entries({ ...rows, ...ownRows[name] }))(
      '%s: answers and leaves no files',
      async (_, { call, onFullDisk, ...usual }) => {
        const { exitCode, stdout, stderr, changed } = await inChroot({ executable: path, disk, ...call })
        const expected = disk === 'full' ? (onFullDisk ?? usual) : usual
        expect({ exitCode, changed: traces(changed), stderr }).toEqual({
          exitCode: expected.exitCode,
          changed: [],
          stderr: expected.stderr ? expect.stringMatching(expected.stderr) : expect.any(String),
        })
        expect(stdout.trim()).toMatch(expected.stdout)
      },
    )
  })

  const hostileFiles = {
    '.env': 'CNI_COMMAND=VERSION\nCNI_NETNS=/elsewhere\nFROM_DOTENV=1\n',
    'bunfig.toml': 'preload = ["./preload.js"]\nlogLevel = "debug"\n',
    'preload.js': 'console.log("preloaded"); process.exit(77)\n',
    'package.json': '{"name": "hostile", "main": "preload.js", "imports": {"#x": "./preload.js"}, "type": "module"}',
    'tsconfig.json': '{"compilerOptions": {"paths": {"*": ["./preload.js"]}}}',
    'plugin.js': 'process.exit(77)',
    'index.js': 'process.exit(77)',
    ...Object.fromEntries(
      ['koffi', 'netlink', 'zod', 'debug', 'bun:ffi'].map((name) => [
        `node_modules/${name}/index.js`,
        'process.exit(77)',
      ]),
    ),
  }
  const hostileEnv = {
    NODE_OPTIONS: '--require /preload.js',
    NODE_PATH: '/node_modules',
    NODE_DEBUG: 'fs,module,net',
    NODE_V8_COVERAGE: '/tmp/coverage',
    NODE_COMPILE_CACHE: '/tmp/cache',
    NODE_REPL_HISTORY: '/tmp/history',
    NODE_EXTRA_CA_CERTS: '/preload.js',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    NODE_ENV: 'development',
    NODE_NO_WARNINGS: '1',
    DEBUG: '*',
    BUN_CONFIG_PRELOAD: '/preload.js',
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: '/tmp/transpiled',
    BUN_INSTALL: '/tmp/bun',
    TMPDIR: '/tmp',
    HOME: '/tmp',
    XDG_CACHE_HOME: '/tmp',
  }
  const calls: Record<string, Omit<Call, 'executable'>> = {
    VERSION: { env: { CNI_COMMAND: 'VERSION' } },
    'ADD of a pod that is left alone, or that cannot be served': {
      env: { CNI_COMMAND: 'ADD', ...skipped },
      stdin: conf,
    },
    DEL: { env: { CNI_COMMAND: 'DEL', ...pod }, stdin: conf },
  }

  it.each(Object.entries(calls))('%s: files in the working directory change nothing', async (_, call) => {
    const alone = await inChroot({ executable: path, ...call })
    const among = await inChroot({ executable: path, ...call, files: hostileFiles })
    expect(timeless(among)).toEqual(timeless(alone))
    expect(traces(among.changed)).toEqual([])
  })

  it.each(Object.entries(calls))('%s: variables of a runtime change nothing', async (_, call) => {
    const alone = await inChroot({ executable: path, ...call })
    const among = await inChroot({
      executable: path,
      ...call,
      env: { ...call.env, ...hostileEnv },
      files: { 'preload.js': hostileFiles['preload.js'] },
    })
    expect(timeless(among)).toEqual(timeless(alone))
    expect(traces(among.changed)).toEqual([])
  })
})

/** Changes of a call, except for the plugin's own record of its attachment. */
function traces(changed: readonly string[]): readonly string[] {
  const isRecorded = changed.some((line) => line.startsWith('run size '))
  return isRecorded ? changed.filter((line) => !/^(?:run(?:\/cni[^ ]*)?)? size /.test(line)) : changed
}

const timeless = ({ stderr, changed, ...rest }: Awaited<ReturnType<typeof inChroot>>) => ({
  ...rest,
  changed: traces(changed),
  stderr: stderr.replaceAll(/"time":"[^"]*"/g, '"time":""'),
})
