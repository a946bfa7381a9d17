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

/** Irregular reaction of the test API server to one request, such as a hanging or cut connection. */
export interface Misbehaviour {
  /** HTTP method of the request that gets the irregular reaction. Default: any method. */
  readonly method?: string
  /** HTTP status with which the server answers, together with the matching Status object. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Body with which the server answers instead of the regular one. */
  readonly body?: string
  /** First bytes of an answer with status 200. Afterwards, the server cuts the connection. */
  readonly partial?: string
  /** True to send an answer that never ends. */
  readonly endless?: boolean
  /** True to accept the request and never answer it. */
  readonly hang?: boolean
  /** True to cut the connection without an answer. */
  readonly cut?: boolean
  /** Milliseconds that the server waits before it reacts to the request. */
  readonly delayMs?: number
}

/** Options of {@link startApiServer}, which starts an API server for tests. */
export interface ApiServerOptions {
  readonly pods?: readonly StoredPod[]
  /** Labels of the namespaces, by namespace name. The namespace of a given pod always exists. */
  readonly namespaces?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly token?: string
  /**
   * Further permissions of the token. The token may always get single pods and namespaces. Examples: `repairGrants` and
   * `ambientGrants`.
   */
  readonly grants?: readonly Grant[]
  readonly host?: string
  /**
   * Network namespace in which the test API server listens, on all addresses. Default: the process's namespace, in
   * which the server listens only on `host`.
   */
  readonly netns?: NetnsTarget
  readonly port?: number
  /** TLS certificate of the test API server. Default: a certificate issued by the server's own authority. */
  readonly certificate?: Certificate
  /** Delay in milliseconds before every answer of the test API server. */
  readonly latencyMs?: number
}

/** Running test API server; `await using` stops it. */
export interface ApiServer extends AsyncDisposable {
  /** URL of the test API server: `https://host:port`. */
  readonly url: string
  /** Certificate authority of the server's certificate, as PEM text. */
  readonly ca: string
  /** Bearer token of the test API server, besides service account tokens. Assign a new token to rotate it. */
  token: string
  /** All requests that the test API server has received. */
  readonly requests: readonly {
    readonly method: string
    readonly url: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[]
  /** Adds or changes a pod, and notifies the open watches. */
  setPod(pod: StoredPod): void
  getPod(namespace: string, name: string): StoredPod | undefined
  deletePod(namespace: string, name: string): void
  /** Sets the labels of a namespace, creates a missing namespace, and notifies the open watches. */
  setNamespace(name: string, labels: Readonly<Record<string, string>>): void
  deleteNamespace(name: string): void
  /**
   * Creates or changes a DaemonSet. Removes the DaemonSet if `document` is missing. `podSpec` has members for the
   * specification of the DaemonSet's pods.
   */
  setDaemonSet(
    namespace: string,
    name: string,
    document?: {
      readonly metadata?: Readonly<Record<string, unknown>>
      readonly podSpec?: Readonly<Record<string, unknown>>
    },
  ): void
  /** Sets the labels and other members of a node. Creates a missing node. */
  setNode(name: string, labels: Readonly<Record<string, string>>, more?: { spec?: object; status?: object }): void
  /**
   * Creates a service account, for which clients can request tokens. A token is valid for `lifeSeconds` if given, or
   * else for the requested time. A second call invalidates earlier tokens of the account.
   */
  setServiceAccount(namespace: string, name: string, lifeSeconds?: number): void
  /** Lists the Kubernetes events that clients have written to the test API server. */
  events(): Readonly<Record<string, unknown>>[]
  /** Counts the watches that clients have open. */
  watches(): number
  /** Sends a bookmark event with the current resource version to all watches. */
  bookmark(): void
  /** Sends a raw text to all watches, instead of a valid event. */
  say(text: string): void
  /** Cuts all connections to the test API server. */
  cutAll(): void
  /** Drops the history of changes. Afterwards, a watch from an older version gets status 410. */
  compact(): void
  /** Queues irregular reactions of the server, one for each of the next requests. */
  misbehave(...next: readonly Misbehaviour[]): void
  /** Removes all irregular reactions that {@link misbehave} has queued. */
  behave(): void
  /** Returns the text of a kubeconfig for the test API server, with the server's current token. */
  kubeconfig(): string
  /**
   * Writes {@link kubeconfig} to `<runDir>/istio-cni-kubeconfig`, where the plugin reads the file, and returns the
   * path.
   */
  writeKubeconfig(runDir: string): string
  close(): Promise<void>
}

/**
 * Starts a small Kubernetes API server for tests, over TLS. Serves pods, namespaces, events, DaemonSets, nodes and
 * service account tokens, with lists and watches. Clients authenticate by a bearer token. Errors are Status objects, as
 * from a real server.
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
  // Ignores TLS errors of clients that do not trust the server's certificate: many tests have such clients.
  server.on('tlsClientError', () => {})
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    const listening = (): void => resolve((server.address() as AddressInfo).port)
    // Passes no host, because Node.js would leave the namespace while it resolves the host.
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
