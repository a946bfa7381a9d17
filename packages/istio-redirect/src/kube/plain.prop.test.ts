import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tampered } from '../../test/tampered.ts'
import { podInfo } from '../redirect/pod-info.ts'
import { kubeconfigSchema } from './kubeconfig-schema.ts'
import { parsePod } from './parse-pod.ts'
import { isPlainKubeconfig } from './plain-kubeconfig.ts'
import { isPlainPod } from './plain-pod.ts'

const pod = {
  metadata: { namespace: 'demo', name: 'web', uid: 'u', labels: { a: 'b' }, annotations: { c: 'd' } },
  spec: {
    hostNetwork: false,
    initContainers: [{ name: 'istio-validation', image: 'x' }],
    containers: [
      { name: 'app', args: ['x'] },
      {
        name: 'istio-proxy',
        args: ['proxy', 'sidecar'],
        env: [
          { name: 'A', value: '1' },
          { name: 'B', valueFrom: {} },
        ],
        securityContext: { runAsUser: 7, runAsGroup: 8, privileged: false },
      },
    ],
  },
}

const kubeconfig = {
  apiVersion: 'v1',
  'current-context': 'c',
  clusters: [
    {
      name: 'a',
      cluster: {
        server: 'https://a',
        'certificate-authority': 'b',
        'certificate-authority-data': 'LS0t',
        'insecure-skip-tls-verify': false,
        'tls-server-name': 'x',
      },
    },
  ],
  contexts: [{ name: 'c', context: { cluster: 'a', user: 'u' } }],
  users: [
    {
      name: 'u',
      user: {
        token: 't',
        tokenFile: 'f',
        'client-certificate': 'a',
        'client-certificate-data': 'b',
        'client-key': 'c',
        'client-key-data': 'd',
        exec: null,
        'auth-provider': null,
      },
    },
  ],
}

test('a pod that is vouched for is the one that the schema reads', () => {
  expect(isPlainPod(pod)).toBe(true)
  let vouched = 0
  fc.assert(
    fc.property(tampered(pod), (document) => {
      if (!isPlainPod(document)) return
      vouched++
      const { namespace, name } = document.metadata
      expect(podInfo(document)).toEqual(podInfo(parsePod(document, { namespace, name })))
    }),
    { numRuns: 3000 },
  )
  expect(vouched).toBeGreaterThan(300)
})

test('a kubeconfig that is vouched for is one that the schema accepts, and changes nothing in', () => {
  expect(isPlainKubeconfig(kubeconfig)).toBe(true)
  let vouched = 0
  fc.assert(
    fc.property(tampered(kubeconfig), (document) => {
      if (!isPlainKubeconfig(document)) return
      vouched++
      // The schema leaves out what it does not know.
      expect(document).toMatchObject(kubeconfigSchema.parse(document))
    }),
    { numRuns: 3000 },
  )
  expect(vouched).toBeGreaterThan(300)
})
