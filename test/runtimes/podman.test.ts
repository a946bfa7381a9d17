import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { netns } from '@cni/netns'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectFrom, startApp, startProxy } from '../../packages/istio-redirect/src/testing/node/stand-ins.ts'
import { rulesIn } from '../../packages/istio-redirect/test/stage/rules.ts'
import { IMAGE } from './node/image.ts'
import { type Podman, startPodman } from './node/podman.ts'
import { type Call, spyOn } from './node/spy.ts'
import { entry, type Stage, setStage } from './node/stage.ts'
import { throwAway } from './node/throw-away.ts'

const HELLO_CHAIN = fileURLToPath(new URL('../../dist/bin/hello-chain', import.meta.url))
const CHAIN = { first: 'bridge', families: 'dual stack' } as const

const stack = new AsyncDisposableStack()
let stage: Stage
let podman: Podman
let allCalls: () => Call[]
let before = 0

beforeAll(async () => {
  stage = stack.use(await setStage(CHAIN))
  allCalls = spyOn(stage.binDir)
  copyFileSync(HELLO_CHAIN, join(stage.binDir, 'hello-chain'))
  podman = stack.use(await startPodman(stage))
})
afterAll(() => stack.disposeAsync())
beforeEach(() => {
  before = allCalls().length
})

const verbs = (): string[] =>
  allCalls()
    .slice(before)
    .map(({ verb }) => verb)

/** `podman run --detach`. The image sleeps. */
const runContainer = (name: string, ...options: readonly string[]) =>
  podman.attempt('run', '--detach', `--cgroup-parent=${throwAway().cgroup}`, `--name=${name}`, ...options, IMAGE)

const namespaceOf = async (name: string) =>
  netns.open(`/proc/${await podman.run('inspect', '--format={{.State.Pid}}', name)}/ns/net`)

describe('a container of podman behind bridge, host-local and portmap', () => {
  it('is not a Kubernetes pod: it starts without rules and without a request, with its host port', async () => {
    const { stderr, exitCode } = await runContainer('plain', '--publish=18081:8080')
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
    {
      using namespace = await namespaceOf('plain')
      expect(await rulesIn(namespace)).not.toContain('ISTIO_')
      await using _ = await startApp(namespace, { name: 'app', ports: [8080] })
      const [exchange] = await connectFrom('host', 0, [{ host: '127.0.0.1', port: 18081 }])
      expect(exchange?.answer).toMatchObject({ served_by: 'app', listener: 8080 })
    }
    await podman.run('rm', '--force', '--time=0', 'plain')
    expect(verbs()).toEqual(['VERSION', 'ADD', 'VERSION', 'DEL'])
    expect(stage.leases()).toEqual([])
    expect(stage.api.requests).toEqual([])
  })

  it('shares one attachment with all containers of its pod', async () => {
    await podman.run(
      'pod',
      'create',
      '--name=pod',
      `--infra-image=${IMAGE}`,
      '--infra-command=sleep 86400',
      `--cgroup-parent=${throwAway().cgroup}`,
    )
    await podman.run('run', '--detach', '--pod=pod', IMAGE)
    await podman.run('run', '--detach', '--pod=pod', IMAGE)
    expect(verbs().filter((verb) => verb !== 'VERSION')).toEqual(['ADD'])
    await podman.run('pod', 'rm', '--force', '--time=0', 'pod')
    expect(stage.leases()).toEqual([])
  })

  it('does not start when ADD fails: podman exits with 126 and the error', async () => {
    stage.use(CHAIN, [entry(stage.runDir, { exclude_namespaces: 'all' })])
    const { exitCode, stderr } = await runContainer('refused')
    stage.use(CHAIN)
    expect(exitCode).toBe(126)
    expect(stderr).toMatch(/plugin type="istio-cni" failed \(add\): .*exclude_namespaces.*"all"/)
    expect(verbs()).toEqual(['VERSION', 'ADD', 'DEL'])
    await podman.run('rm', '--force', '--time=0', 'refused')
    expect(stage.leases()).toEqual([])
  })
})

describe('hello-chain under podman', () => {
  it('captures the connections of a container, and leaves nothing', async () => {
    stage.use(CHAIN, [{ type: 'hello-chain', port: 15001 }])
    const { stderr, exitCode } = await runContainer('hello', '--user=1000')
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
    using namespace = await namespaceOf('hello')
    {
      await using _ = await startProxy(namespace)
      const answer = await podman.run('exec', 'hello', 'timeout', '5', 'nc', '203.0.113.7', '443')
      expect(JSON.parse(answer)).toMatchObject({ listener: 15001, original_dst: '203.0.113.7:443' })
    }
    await podman.run('rm', '--force', '--time=0', 'hello')
    expect(await rulesIn(namespace)).not.toContain('EX_')
    expect(stage.leases()).toEqual([])
  })
})
