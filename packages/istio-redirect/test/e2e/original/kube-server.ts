import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createAuthority, type Grant } from '@cni/kube/testing'
import { type KubeClient, kubeClient } from '../../../../kube/src/client/client.ts'
import { serviceAccountAccess } from '../../../../kube/src/config/service-account.ts'
import { freePort } from '../agent-node.ts'

/** A real kube-apiserver over etcd, with one administrator. */
export interface KubeServer extends AsyncDisposable {
  readonly port: number
  readonly url: string
  readonly caFile: string
  readonly admin: KubeClient
  /** A user who may do this and nothing else; the file with its token. */
  allow(user: string, grants: readonly Grant[]): Promise<string>
}

/** Users and their tokens are read at the start only. */
const users = ['admin', 'agent-repair', 'agent-delete', 'agent-label', 'theirs-delete', 'theirs-label']

/** Starts both programs on free ports of the loopback. */
export async function startKubeServer(apiserver: string, etcd: string): Promise<KubeServer> {
  const folder = mkdtempSync(join(tmpdir(), 'kube-server-'))
  const file = (name: string, text?: string): string => {
    const path = join(folder, name)
    if (text !== undefined) writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const [port, client, peer] = [await freePort(), await freePort(), await freePort()]
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
  const stop = async (): Promise<void> => {
    for (const child of children.reverse()) {
      if (child.exitCode !== null || child.pid === undefined) continue
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    }
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
    start(apiserver, [
      `--etcd-servers=${clients}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--tls-cert-file=${file('server.crt', server.cert)}`,
      `--tls-private-key-file=${file('server.key', server.key)}`,
      `--service-account-key-file=${file('sa.pub', account.publicKey.export({ type: 'spki', format: 'pem' }).toString())}`,
      `--service-account-signing-key-file=${file('sa.key', account.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())}`,
      `--service-account-issuer=${url}`,
      `--token-auth-file=${file('tokens.csv', users.map((user, id) => `token-of-${user},${user},${id}${user === 'admin' ? ',system:masters' : ''}\n`).join(''))}`,
      '--authorization-mode=RBAC',
      '--disable-admission-plugins=ServiceAccount',
      '--allow-privileged=true',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--endpoint-reconciler-type=none',
    ])
    const admin = (): KubeClient =>
      kubeClient(serviceAccountAccess({ server: url, caFile, tokenFile: file('admin', 'token-of-admin') }))
    await ready(admin, children)
    return {
      port,
      url,
      caFile,
      admin: admin(),
      async allow(user, grants) {
        await grant(admin(), user, grants)
        return file(user, `token-of-${user}`)
      },
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function ready(admin: () => KubeClient, children: readonly ChildProcess[]): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const ended = children.find(({ exitCode }) => exitCode !== null)
    if (ended !== undefined) throw new Error(`${ended.spawnfile} ended with ${ended.exitCode}`)
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
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: user } }
  const rules = grants.map((each) => {
    const [verb, resource] = each.split(' ')
    return { apiGroups: [''], verbs: [verb], resources: [resource] }
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
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  })
}
