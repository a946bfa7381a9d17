import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type KubeClient, kubeClient } from '../src/client/client.ts'
import { serviceAccountAccess } from '../src/config/service-account.ts'
import { createAuthority } from '../src/testing/certificate.ts'
import type { Grant } from '../src/testing/grant.ts'

/** Real kube-apiserver over etcd for tests, with one administrator. */
export interface KubeServer extends AsyncDisposable {
  readonly port: number
  readonly url: string
  readonly caFile: string
  readonly admin: KubeClient
  /** Grants a user the given permissions and no others. Returns the path of the user's token file. */
  allow(user: string, grants: readonly Grant[]): Promise<string>
  /** Stops kube-apiserver, and starts it again after `awayMs`. etcd keeps running. */
  restart(awayMs: number): Promise<void>
}

/** Paths of the programs of a {@link KubeServer}, and the names of its users. */
export interface KubeServerOptions {
  readonly apiserver: string
  readonly etcd: string
  /** Names of users besides `admin`. kube-apiserver reads the users and their tokens only at its start. */
  readonly users: readonly string[]
  /** Groups to which all users except `admin` belong. */
  readonly groups?: readonly string[]
  /** Further command-line flags of kube-apiserver. */
  readonly flags?: readonly string[]
}

/** Starts etcd and kube-apiserver on free ports of the loopback address. */
export async function startKubeServer(options: KubeServerOptions): Promise<KubeServer> {
  const { apiserver, etcd, users, groups = [], flags = [] } = options
  const folder = mkdtempSync(join(tmpdir(), 'kube-server-'))
  const file = (name: string, text?: string): string => {
    const path = join(folder, name)
    if (text !== undefined) writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const [port, client, peer] = await freePorts()
  const url = `https://127.0.0.1:${port}`
  const authority = createAuthority('kube-server-ca')
  const server = authority.issue('kube-apiserver', ['127.0.0.1', 'localhost'])
  const account = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const caFile = file('ca.crt', authority.cert)
  const children: ChildProcess[] = []
  const start = (program: string, args: readonly string[]): ChildProcess => {
    const log = openSync(file(`${children.length}.log`), 'a')
    const child = spawn(program, args, { stdio: ['ignore', log, log] })
    children.push(child)
    return child
  }
  const row = (user: string, id: number): string =>
    `token-of-${user},${user},${id}${groups.length > 0 ? `,"${groups.join(',')}"` : ''}\n`
  const tokens = `token-of-admin,admin,0,system:masters\n${users.map((user, index) => row(user, index + 1)).join('')}`
  const startServer = (): ChildProcess =>
    start(apiserver, [
      `--etcd-servers=http://127.0.0.1:${client}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--tls-cert-file=${file('server.crt', server.cert)}`,
      `--tls-private-key-file=${file('server.key', server.key)}`,
      `--service-account-key-file=${file('sa.pub', account.publicKey.export({ type: 'spki', format: 'pem' }).toString())}`,
      `--service-account-signing-key-file=${file('sa.key', account.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())}`,
      `--service-account-issuer=${url}`,
      `--token-auth-file=${file('tokens.csv', tokens)}`,
      '--authorization-mode=RBAC',
      '--disable-admission-plugins=ServiceAccount',
      '--allow-privileged=true',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--endpoint-reconciler-type=none',
      ...flags,
    ])
  const stop = async (): Promise<void> => {
    for (const child of children.reverse()) await ended(child, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    mkdirSync(join(folder, 'etcd'), { mode: 0o700 })
    const clients = `http://127.0.0.1:${client}`
    start(etcd, [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${clients}`,
      `--advertise-client-urls=${clients}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      '--unsafe-no-fsync',
    ])
    let serving = startServer()
    const admin = (): KubeClient =>
      kubeClient(serviceAccountAccess({ server: url, caFile, tokenFile: file('admin', 'token-of-admin') }))
    await ready(admin, () => children.find(({ exitCode }) => exitCode !== null))
    return {
      port,
      url,
      caFile,
      admin: admin(),
      async allow(user, grants) {
        await grant(admin(), user, grants)
        return file(user, `token-of-${user}`)
      },
      async restart(awayMs) {
        await ended(serving, 'SIGTERM')
        await delay(awayMs)
        serving = startServer()
        await ready(admin, () => (serving.exitCode === null ? undefined : serving))
      },
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const closed = once(child, 'close')
  child.kill(signal)
  await closed
}

/** Finds three ports of the loopback address that no program uses now. */
async function freePorts(): Promise<[number, number, number]> {
  const port = async (): Promise<number> => {
    await using server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }
  return [await port(), await port(), await port()]
}

async function ready(admin: () => KubeClient, dead: () => ChildProcess | undefined): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const child = dead()
    if (child !== undefined) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`)
    try {
      await admin().get('/api/v1/namespaces/default', { signal: AbortSignal.timeout(1000) })
      return
    } catch (error) {
      if (tries === 300) throw error
      await delay(100)
    }
  }
}

async function grant(admin: KubeClient, user: string, grants: readonly Grant[]): Promise<void> {
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: user.replaceAll(':', '-') } }
  const rules = grants.map((each) => {
    const [verb, resource] = each.split(' ')
    return { apiGroups: ['', 'apps'], verbs: [verb], resources: [resource] }
  })
  const post = (kind: string, document: object) =>
    admin.send(
      {
        method: 'POST',
        path: `/apis/rbac.authorization.k8s.io/v1/${kind}`,
        body: { type: 'application/json', document: { ...rbac, ...document } },
      },
      { signal: AbortSignal.timeout(5000) },
    )
  await post('clusterroles', { kind: 'ClusterRole', rules })
  await post('clusterrolebindings', {
    kind: 'ClusterRoleBinding',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: rbac.metadata.name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  })
}
