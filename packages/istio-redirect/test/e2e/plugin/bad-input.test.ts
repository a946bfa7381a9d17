import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { netns } from '@cni/netns'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { meshPod } from '../../../src/testing/pods.ts'
import { ANY_RUNTIME, COMPILED } from '../../stage/executables.ts'
import { addLo, DUAL_STACK, suiteBed, type TestBed, testBed } from './pod.ts'

interface Call {
  stdin?: string
  conf?: Record<string, unknown>
  env?: Record<string, string | undefined>
  cwd?: string
}

/** Runs the plugin as a container runtime does. Its output has to be one document or empty. */
async function call(bed: TestBed, { stdin, conf, env, cwd = '/' }: Call) {
  const direct = bed.direct('ADD', conf)
  const complete: Record<string, string | undefined> = { ...direct.env, ...env }
  const given = Object.fromEntries(Object.entries(complete).filter(([, value]) => value !== undefined))
  const options = { env: given, cwd, input: stdin ?? direct.input, timeout: 20_000, reject: false }
  const result = await netns.exec(bed.nodeNetns, [direct.file], options)
  return { ...result, document: result.stdout === '' ? undefined : JSON.parse(result.stdout) }
}

const noRules = async (bed: TestBed): Promise<void> => {
  expect(await bed.save()).not.toContain('ISTIO_')
  expect(await bed.save('ip6tables-save')).not.toContain('ISTIO_')
  expect(bed.node.stateFiles()).toEqual([])
}

/** A pod for all tests of a suite. Each test ends with its DEL. */
function podOfSuite(...args: Parameters<typeof testBed>): () => TestBed {
  const shared = suiteBed(...args)
  beforeAll(() => addLo(shared()))
  afterEach(async () => {
    const bed = shared()
    const { file, ...options } = bed.direct('DEL')
    await netns.exec(bed.nodeNetns, [file], options)
    await noRules(bed)
  })
  return shared
}

describe.each(ANY_RUNTIME)('bad input gives one error document, exit code 1, and changes nothing (%s)', (_, plugin) => {
  const shared = podOfSuite(plugin)

  it.each<[string, Call, number, string]>([
    ['empty stdin', { stdin: '' }, 6, ''],
    ['half a document', { stdin: '{"name":"demo",' }, 6, ''],
    ['an array', { stdin: '[]' }, 6, ''],
    ['no name', { stdin: '{"cniVersion":"1.0.0"}' }, 7, 'missing network name'],
    ['a version from the future', { conf: { cniVersion: '9.9.9' } }, 1, '9.9.9'],
    ['a wrong type', { conf: { exclude_namespaces: 'kube-system' } }, 7, 'exclude_namespaces'],
    ['a number for a folder', { conf: { cni_agent_run_dir: 7 } }, 7, 'cni_agent_run_dir'],
    ['no container id', { env: { CNI_CONTAINERID: undefined } }, 4, 'CNI_CONTAINERID'],
    ['a container id that climbs', { env: { CNI_CONTAINERID: '../../etc/passwd' } }, 4, '../../etc/passwd'],
    ['no interface', { env: { CNI_IFNAME: '' } }, 4, 'CNI_IFNAME'],
    ['an interface with a slash', { env: { CNI_IFNAME: 'eth0/../x' } }, 4, 'interface name'],
    ['an unknown verb', { env: { CNI_COMMAND: 'add' } }, 4, 'add'],
    ['a namespace that is gone', { env: { CNI_NETNS: '/run/netns/gone' } }, 8, '/run/netns/gone'],
    ['a file that is no namespace', { env: { CNI_NETNS: '/etc/passwd' } }, 8, '/etc/passwd'],
    [
      'a pod name that climbs',
      { env: { CNI_ARGS: 'K8S_POD_NAMESPACE=demo;K8S_POD_NAME=../../../secrets/token' } },
      4,
      '../../../secrets/token',
    ],
    ['a pod that does not exist', { env: { CNI_ARGS: 'K8S_POD_NAMESPACE=demo;K8S_POD_NAME=ghost' } }, 11, 'ghost'],
    ['a run dir without kubeconfig', { conf: { cni_agent_run_dir: '/nowhere' } }, 11, '/nowhere'],
  ])('%s', async (_, wrong, code, culprit) => {
    const bed = shared()
    const { exitCode, document } = await call(bed, wrong)
    expect(exitCode).toBe(1)
    expect(document.code).toBe(code)
    expect(`${document.msg} ${document.details ?? ''}`).toContain(culprit)
    await noRules(bed)
  })
})

const annotation = (key: string, value: string) => [`traffic.sidecar.istio.io/${key}`, value] as const

describe.each(ANY_RUNTIME)('invalid values of a pod never become rules (%s)', (_, plugin) => {
  const shared = podOfSuite(plugin)

  it.each([
    annotation('excludeOutboundPorts', '80 -j ACCEPT'),
    annotation('excludeOutboundPorts', '80\n-A OUTPUT -j ACCEPT'),
    annotation('excludeInboundPorts', '"80"'),
    annotation('includeInboundPorts', "80' --dport 1"),
    annotation('includeOutboundIPRanges', '10.0.0.0/8 -j ACCEPT'),
    annotation('excludeOutboundIPRanges', '0.0.0.0/0\nCOMMIT'),
    annotation('excludeInterfaces', 'eth0 -j ACCEPT'),
    annotation('excludeInterfaces', 'eth0\n'.repeat(3)),
    annotation('excludeOutboundPorts', '*'),
    annotation('excludeOutboundPorts', '65536'),
    ['sidecar.istio.io/interceptionMode', 'REDIRECT; reboot'] as const,
  ])('%s: %j is refused by name and leaves no rule', async (key, value) => {
    const bed = shared()
    bed.node.api.setPod(meshPod({ annotations: { [key]: value }, proxy: DUAL_STACK }))
    const { exitCode, document } = await call(bed, {})
    expect(exitCode).toBe(1)
    expect(document).toMatchObject({ code: 7, msg: expect.stringContaining(key) })
    await noRules(bed)
  })

  it('blanks around ports are removed', async () => {
    const annotations = Object.fromEntries([annotation('excludeOutboundPorts', ' 9090 ,\t9091')])
    const bed = shared()
    bed.node.api.setPod(meshPod({ annotations }))
    expect((await call(bed, {})).exitCode).toBe(0)
    expect(await bed.save()).toContain('-A ISTIO_OUTPUT -p tcp -m tcp --dport 9091 -j RETURN')
  })
})

describe('the environment of the plugin does not change its behaviour', () => {
  const shared = podOfSuite(() => COMPILED)

  it('a hostile working directory is ignored', async () => {
    const bed = shared()
    const cwd = join(bed.folder, 'hostile')
    mkdirSync(cwd)
    writeFileSync(join(cwd, '.env'), 'CNI_COMMAND=DEL\nCNI_NETNS=/proc/self/ns/net\nNODE_TLS_REJECT_UNAUTHORIZED=0\n')
    writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./preload.js"]\n')
    writeFileSync(join(cwd, 'preload.js'), 'process.exit(3)\n')
    writeFileSync(join(cwd, 'package.json'), '{"type":"module","imports":{"#x":"./preload.js"}}')
    const { exitCode, document } = await call(bed, { cwd })
    expect({ exitCode, document }).toEqual({ exitCode: 0, document: { cniVersion: '1.0.0' } })
    expect(await bed.save()).toContain('-A OUTPUT -j ISTIO_OUTPUT')
  })

  it.each(['BUN_JSC_useJIT=0', 'BUN_BYTECODE_DIGEST_OUT=@', 'BUN_OPTIONS=--smol'])(
    'a variable of the runtime is ignored: %s',
    async (variable) => {
      const bed = shared()
      const file = join(bed.folder, 'written')
      const [name = '', value = ''] = variable.replace('@', file).split('=')
      const { exitCode, document } = await call(bed, { env: { [name]: value } })
      expect({ exitCode, document }).toEqual({ exitCode: 0, document: { cniVersion: '1.0.0' } })
      expect(await bed.save()).toContain('-A OUTPUT -j ISTIO_OUTPUT')
      expect(existsSync(file)).toBe(false)
    },
  )

  it('a server with another certificate is refused, also with variables that allow it', async () => {
    await using bed = await testBed(() => COMPILED)
    await addLo(bed)
    const other = shared()
    const file = join(bed.node.runDir, 'istio-cni-kubeconfig')
    const ca = /certificate-authority-data: (.*)/
    const foreign = ca.exec(readFileSync(join(other.node.runDir, 'istio-cni-kubeconfig'), 'utf8'))?.[0] ?? ''
    writeFileSync(file, readFileSync(file, 'utf8').replace(ca, foreign))
    const { exitCode, document, stderr } = await call(bed, { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })
    expect(exitCode).toBe(1)
    expect(`${document.msg} ${document.details ?? ''}`).toMatch(/certificate/)
    expect(stderr + JSON.stringify(document)).not.toContain(bed.node.api.token)
    expect(bed.node.api.requests).toEqual([])
    await noRules(bed)
  })

  it('a proxy in the environment is not used', async () => {
    const bed = shared()
    const proxy = 'http://127.0.0.1:9'
    const { exitCode } = await call(bed, { env: { HTTPS_PROXY: proxy, https_proxy: proxy, ALL_PROXY: proxy } })
    expect(exitCode).toBe(0)
  })
})
