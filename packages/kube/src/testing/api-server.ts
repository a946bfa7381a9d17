import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { type NetnsTarget, netns } from '@cni/netns'
import { answer, type Watched } from './answer.ts'
import { type Certificate, createAuthority } from './certificate.ts'
import type { Grant } from './grant.ts'
import { kubeconfigText } from './kubeconfig-text.ts'
import { objectStore, type StoredNamespace, type StoredObject } from './object-store.ts'
import { bookmark, watchObjects } from './object-watch.ts'
import { serviceAccounts } from './service-accounts.ts'
import { type Answer, otherFailure } from './status.ts'
import type { StoredPod } from './stored-pod.ts'

/** How the server treats one request, instead of answering it as it should. */
export interface Misbehaviour {
  /** It waits for a request with this method; others pass it by. */
  readonly method?: string
  /** Answer with this status and the matching Status object. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Answer with these bytes, whatever they are. */
  readonly body?: string
  /** Begin a 200 with these bytes, then cut the connection. */
  readonly partial?: string
  /** Never stop sending. */
  readonly endless?: boolean
  /** Accept the request and never answer it. */
  readonly hang?: boolean
  /** Cut the connection instead of answering. */
  readonly cut?: boolean
  /** Wait before doing any of these, or before the ordinary answer. */
  readonly delayMs?: number
}

/** Settings of {@link startApiServer}. */
export interface ApiServerOptions {
  readonly pods?: readonly StoredPod[]
  /** Labels by namespace name; the namespace of every pod exists anyway. */
  readonly namespaces?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly token?: string
  /** What the token allows besides getting pods and namespaces; see `repairGrants` and `ambientGrants`. */
  readonly grants?: readonly Grant[]
  readonly host?: string
  /** The namespace to serve in, on all its addresses. Default: ours, on `host`. */
  readonly netns?: NetnsTarget
  readonly port?: number
  /** Serve this certificate instead of one issued by the server's own authority. */
  readonly certificate?: Certificate
  /** Added to every answer. */
  readonly latencyMs?: number
}

/** A running API server; `await using` stops it. */
export interface ApiServer extends AsyncDisposable {
  /** `https://host:port` */
  readonly url: string
  /** PEM text of the authority that vouches for the server. */
  readonly ca: string
  /** The only token that is accepted; assign to rotate it. */
  token: string
  /** Requests that the server has seen. */
  readonly requests: readonly {
    readonly method: string
    readonly url: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[]
  /** Adds a pod, or changes it; watches are told. */
  setPod(pod: StoredPod): void
  getPod(namespace: string, name: string): StoredPod | undefined
  deletePod(namespace: string, name: string): void
  /** Labels a namespace, which exists from now on; watches are told. */
  setNamespace(name: string, labels: Readonly<Record<string, string>>): void
  deleteNamespace(name: string): void
  /** Makes the DaemonSet, changes or, without a document, removes it. `podSpec`: members of its pods' specification. */
  setDaemonSet(
    namespace: string,
    name: string,
    document?: {
      readonly metadata?: Readonly<Record<string, unknown>>
      readonly podSpec?: Readonly<Record<string, unknown>>
    },
  ): void
  /** Labels a node, which exists from now on; with its other members, if it has any. */
  setNode(name: string, labels: Readonly<Record<string, string>>, more?: { spec?: object; status?: object }): void
  /**
   * Makes a service account, for which tokens may be requested then, valid for as long as was asked or for `lifeSeconds`;
   * a second time makes those before invalid.
   */
  setServiceAccount(namespace: string, name: string, lifeSeconds?: number): void
  /** The events that were written. */
  events(): Readonly<Record<string, unknown>>[]
  /** How many watches are open. */
  watches(): number
  /** Tells all watches the version of this moment. */
  bookmark(): void
  /** Sends this to all watches, whatever it is. */
  say(text: string): void
  /** Cuts all connections. */
  cutAll(): void
  /** Forgets what happened: older watches get 410. */
  compact(): void
  /** The next requests are treated so, one entry each, before the server behaves again. */
  misbehave(...next: readonly Misbehaviour[]): void
  /** Behaves again, whatever {@link misbehave} said. */
  behave(): void
  /** A kubeconfig for this server with the token of this moment. */
  kubeconfig(): string
  /** Writes {@link kubeconfig} where the plugin looks for it, `<runDir>/istio-cni-kubeconfig`, and returns the path. */
  writeKubeconfig(runDir: string): string
  close(): Promise<void>
}

/**
 * Starts a small Kubernetes API server for pods, namespaces and events, DaemonSets, nodes and tokens of service accounts,
 * over TLS with its own authority and a bearer token. It answers as the real one does, with 401, 403, 404 and 409 Status objects, lists, watches, and can be told to
 * misbehave.
 *
 * @example
 * await using api = await startApiServer({ pods: [meshPod({ name: 'web', namespace: 'demo' })] })
 * api.writeKubeconfig('/run/istio-cni')
 */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { host = '127.0.0.1' } = options
  const namespaces = objectStore<StoredNamespace>('Namespace')
  const authority = createAuthority('istio-redirect-test-ca')
  const identity = options.certificate ?? authority.issue('kube-apiserver', [...new Set(['localhost', host])])
  const pods = objectStore<StoredPod>('Pod')
  const events = new Map<string, Answer>()
  const daemonSets = new Map<string, Answer>()
  const nodes = new Map<string, Answer>()
  const accounts = serviceAccounts()
  const grants = new Set(options.grants)
  const world = { pods, namespaces, events, daemonSets, nodes, serviceAccounts: accounts, grants }
  const watches = new Map<ServerResponse, Watched>()
  const requests: ApiServer['requests'][number][] = []
  const queue: Misbehaviour[] = []
  const sockets = new Set<Socket>()

  const api: Omit<ApiServer, 'url'> = {
    ca: authority.cert,
    token: options.token ?? 'test-token',
    requests,
    setPod(pod) {
      const { namespace } = pod.metadata
      if (namespaces.get('', namespace) === undefined) api.setNamespace(namespace, {})
      pods.set(pod)
    },
    getPod: (namespace, name) => pods.get(namespace, name),
    deletePod: (namespace, name) => void pods.delete(namespace, name),
    events: () => [...events.values()],
    watches: () => watches.size,
    bookmark() {
      for (const [response, store] of watches) response.write(bookmark<StoredObject>(store))
    },
    say(text) {
      for (const response of watches.keys()) response.write(text)
    },
    cutAll() {
      for (const socket of sockets) socket.destroy()
    },
    compact() {
      pods.compact()
      namespaces.compact()
    },
    setNamespace: (name, labels) =>
      void namespaces.set({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }),
    deleteNamespace: (name) => void namespaces.delete('', name),
    setDaemonSet(namespace, name, document) {
      const key = `${namespace}/${name}`
      if (document === undefined) return void daemonSets.delete(key)
      const metadata = { name, namespace, ...document.metadata }
      const spec = { template: { spec: document.podSpec ?? {} } }
      daemonSets.set(key, { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec })
    },
    setNode: (name, labels, more) =>
      void nodes.set(name, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, ...more }),
    setServiceAccount: (namespace, name, lifeSeconds) => accounts.set(namespace, name, lifeSeconds),
    misbehave: (...next) => void queue.push(...next),
    behave: () => void queue.splice(0),
    kubeconfig: () => kubeconfigText({ server: url, ca: authority.cert, token: api.token }),
    writeKubeconfig(runDir) {
      const path = join(runDir, 'istio-cni-kubeconfig')
      mkdirSync(runDir, { recursive: true })
      writeFileSync(path, api.kubeconfig(), { mode: 0o600 })
      chmodSync(path, 0o600)
      return path
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
    [Symbol.asyncDispose]: () => api.close(),
  }
  for (const [name, labels] of Object.entries(options.namespaces ?? {})) api.setNamespace(name, labels)
  for (const pod of options.pods ?? []) api.setPod(pod)

  const server = createServer({ cert: identity.cert, key: identity.key }, (request, response) => {
    const { method = '', url = '', headers } = request
    const next = queue.findIndex((each) => each.method === undefined || each.method === method)
    const [misbehaviour = {}] = next === -1 ? [] : queue.splice(next, 1)
    const ordinary = (body: string): void => {
      const { authorization } = headers
      const said = answer({ method, url, authorization, body }, { token: api.token, ...world })
      if (!('kind' in said)) {
        send(response, ...said)
        return
      }
      watches.set(response, said)
      response.once('close', () => watches.delete(response))
      watchObjects<StoredObject>(response, said, new URL(url, 'https://server').searchParams)
    }
    text(request)
      .then(async (body) => {
        requests.push({ method, url, headers, body })
        await delay(misbehaviour.delayMs ?? options.latencyMs ?? 0)
        treat(response, misbehaviour, () => ordinary(body))
      })
      .catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // A client that distrusts the certificate is what many tests are about.
  server.on('tlsClientError', () => {})
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    const listening = (): void => resolve((server.address() as AddressInfo).port)
    // With a host, Node binds only after a look-up, when we have left the namespace again.
    if (options.netns === undefined) server.listen(options.port ?? 0, host, listening)
    else netns.run(options.netns, () => void server.listen(options.port ?? 0, listening))
  })
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  return Object.assign(api, { url })
}

function treat(response: ServerResponse, how: Misbehaviour, ordinary: () => void): void {
  if (how.hang === true) return
  if (how.cut === true) return void response.destroy()
  if (how.endless === true) return void flood(response)
  if (how.partial !== undefined) return void response.writeHead(200).write(how.partial, () => response.destroy())
  const { status = 200 } = how
  if (how.status === undefined && how.body === undefined && how.headers === undefined) ordinary()
  else send(response, status, how.body ?? otherFailure(status), how.headers)
}

function send(response: ServerResponse, code: number, what: Answer | string, headers = {}): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers })
  response.end(typeof what === 'string' ? what : `${JSON.stringify(what)}\n`)
}

function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = Buffer.alloc(64 * 1024, ' ')
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}
