import { isChained, type ProjectOptions } from './options.ts'

/** Files that deploy the new plugin: an image, a DaemonSet and a workflow. */
export function deployFiles(options: ProjectOptions, conf: object = {}): ReadonlyMap<string, string> {
  return new Map([
    ['Dockerfile', dockerfile(options)],
    ['.dockerignore', 'node_modules\ndist\n.git\n'],
    ['.github/workflows/ci.yml', workflow(options)],
    ...(hasPod(options) ? [['deploy/daemonset.yaml', daemonSet(options, conf)] as const] : []),
  ])
}

/** True if the project has a process that runs on nodes: an agent or a daemon. */
export const hasPod = ({ kind, agent }: ProjectOptions): boolean => agent || kind === 'thick'

function dockerfile(options: ProjectOptions) {
  const { name, kind, agent } = options
  const daemon = `${name}-daemon`
  const programs = [...(agent ? [`${name}-agent`] : []), ...(kind === 'thick' ? [daemon] : [])]
  const copies = programs
    .map((program) => `COPY --from=build /src/dist/${program} /usr/local/bin/${program}\n`)
    .join('')
  const start = programs[0] === undefined ? '' : `ENTRYPOINT ["/usr/local/bin/${programs[0]}"]\n`
  return `FROM node:22-bookworm AS build
WORKDIR /src
COPY package*.json ./
RUN npm install
COPY . .
RUN npm test && npm run build

# What stays needs the C library; the plugin needs nothing.
FROM debian:bookworm-slim
COPY --from=build /src/dist/${name} /opt/cni/bin/${name}
${copies}${start}`
}

const workflow = ({ kind }: ProjectOptions) => `name: CI
on: [push, pull_request]
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-24.04
    strategy:
      matrix:
        node: [20, 24]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: \${{ matrix.node }}
      - run: npm install
      - run: npm test
      - run: npm run build
${isChained(kind) ? '' : '      - run: sudo apt-get update && sudo apt-get install -y containernetworking-plugins\n'}      - run: sudo env "PATH=$PATH" npm run test:kernel
      - run: sudo env "PATH=$PATH" npm run conformance
`

function daemonSet(options: ProjectOptions, conf: object) {
  const { name, kind, agent } = options
  const containers = [
    ...(agent ? [agentContainer(options)] : []),
    ...(kind === 'thick' ? [daemonContainer(options, conf)] : []),
  ]
  const volumes = [
    ...(agent ? AGENT_FOLDERS.map(([volume, path]) => hostPath(volume, path)) : []),
    ...(kind === 'thick' ? [hostPath('run', `/run/${name}`), hostPath('netns', '/var/run/netns')] : []),
  ]
  return `# kubectl apply -f deploy/daemonset.yaml, with your own image below.
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: ${name}
  namespace: kube-system
  labels: { app: ${name} }
spec:
  selector:
    matchLabels: { app: ${name} }
  updateStrategy:
    rollingUpdate: { maxUnavailable: 1 }
  template:
    metadata:
      labels: { app: ${name} }
    spec:
      priorityClassName: system-node-critical
      nodeSelector: { kubernetes.io/os: linux }
      # A node is not ready before its network is, so this must not wait for it.
      hostNetwork: true
${kind === 'thick' ? "      # Runtimes name some pods' namespaces by a process: /proc/PID/ns/net.\n      hostPID: true\n" : ''}      tolerations:
        - operator: Exists
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: 30
      containers:
${containers.join('')}      volumes:
${volumes.join('')}`
}

const agentContainer = ({ name, kind }: ProjectOptions) => `        - name: agent
          image: registry.example/${name}:0.0.0
          command: [/usr/local/bin/${name}-agent]
${kind === 'main' ? '          env:\n            - { name: POD_SUBNET, value: 10.42.0.0/24 }\n' : ''}          resources:
            requests: { cpu: 10m, memory: 40Mi }
          # Files of root are all it writes.
          securityContext:
            runAsUser: 0
            readOnlyRootFilesystem: true
            allowPrivilegeEscalation: false
            capabilities: { drop: [ALL] }
            seccompProfile: { type: RuntimeDefault }
          volumeMounts:
            - { name: cni-net-dir, mountPath: /host/etc/cni/net.d }
            - { name: cni-bin-dir, mountPath: /host/opt/cni/bin }
            # Pods that outlive the plugin: uninstalling leaves its file for their DELs.
            - { name: cni-records, mountPath: /host/run/cni, readOnly: true }
            - { name: cni-cache, mountPath: /host/var/lib/cni, readOnly: true }
`

/** The probe starts the shim, because a kubelet cannot probe a Unix socket. */
const probe = (name: string, conf: object) => `
                - /bin/sh
                - -c
                - >-
                  echo '${JSON.stringify({ cniVersion: '1.1.0', name: 'probe', type: name, ...conf })}' |
                  CNI_COMMAND=STATUS CNI_PATH=/opt/cni/bin /opt/cni/bin/${name}`

const daemonContainer = ({ name }: ProjectOptions, conf: object) => `        - name: daemon
          image: registry.example/${name}:0.0.0
          command: [/usr/local/bin/${name}-daemon]
          resources:
            requests: { cpu: 10m, memory: 40Mi }
          readinessProbe:
            periodSeconds: 10
            timeoutSeconds: 5
            exec:
              command:${probe(name, conf)}
          livenessProbe:
            periodSeconds: 30
            timeoutSeconds: 5
            failureThreshold: 5
            exec:
              command:${probe(name, conf)}
          # It enters the namespaces of pods; those of processes need SYS_PTRACE.
          securityContext:
            runAsUser: 0
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL], add: [SYS_ADMIN, NET_ADMIN, SYS_CHROOT, SYS_PTRACE] }
          volumeMounts:
            - { name: run, mountPath: /run/${name} }
            - { name: netns, mountPath: /var/run/netns, mountPropagation: HostToContainer }
`

const AGENT_FOLDERS = [
  ['cni-net-dir', '/etc/cni/net.d'],
  ['cni-bin-dir', '/opt/cni/bin'],
  ['cni-records', '/run/cni'],
  ['cni-cache', '/var/lib/cni'],
] as const

const hostPath = (name: string, path: string) => `        - name: ${name}
          hostPath: { path: ${path}, type: DirectoryOrCreate }
`
