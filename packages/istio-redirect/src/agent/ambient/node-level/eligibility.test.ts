import { expect, test } from 'vitest'
import type { AmbientPod } from '../../../../../istio-rules/src/decide/ambient-pod.ts'
import { decideEnrolment } from '../../../../../istio-rules/src/decide/enrolment.ts'
import type { Labels } from '../../../../../istio-rules/src/decide/label-selector.ts'
import { maybeAmbient } from '../../../../../istio-rules/src/decide/ladder.ts'
import { podInfo } from '../../../../../istio-rules/src/pod/pod-info.ts'
import { mode, ambientPod as pod, settings } from '../../../../../istio-rules/test/ambient-pods.ts'
import { confSchema } from '../../../conf/conf.ts'
import { settingsOf } from '../../../conf/settings.ts'
import { nodeLevelSelectors as selectors } from '../../config/selectors.ts'

const ambient = { [mode]: 'ambient' }
const redirection = 'ambient.istio.io/redirection'
const nodeLevel = { ...settings, selectors, optOut: true }

test.each<[string, Partial<AmbientPod>, Labels, string]>([
  ['by the label of its namespace', {}, ambient, 'enrolled'],
  ['not by its own label', { labels: ambient }, {}, 'not-selected'],
  ['not without the label', {}, {}, 'not-selected'],
  ['not by another value of it', {}, { [mode]: 'Ambient' }, 'not-selected'],
  ['though its own label says none', { labels: { [mode]: 'none' } }, ambient, 'enrolled'],
  ['not with a sidecar', { annotations: { 'sidecar.istio.io/status': '' } }, ambient, 'sidecar'],
  ['not when its annotation says disabled', { annotations: { [redirection]: 'disabled' } }, ambient, 'opted-out'],
  ['when its annotation says enabled', { annotations: { [redirection]: 'enabled' } }, ambient, 'enrolled'],
  ['when its annotation says anything else', { annotations: { [redirection]: 'Disabled' } }, ambient, 'enrolled'],
  ['not on the network of the node', { hostNetwork: true }, ambient, 'host-network'],
  ['not when it is ztunnel', { namespace: 'istio-system', labels: { app: 'ztunnel' } }, ambient, 'ztunnel'],
  ['under the name of ztunnel, elsewhere', { labels: { app: 'ztunnel' } }, ambient, 'enrolled'],
  ['not in an excluded namespace', { namespace: 'kube-system' }, ambient, 'namespace-excluded'],
  ['not when it has ended', { completed: true }, ambient, 'completed'],
])('on the node level a pod is in the mesh: %s', (_, more, labels, expected) => {
  const decision = decideEnrolment(pod(more), labels, nodeLevel)
  expect(decision.enrolled ? 'enrolled' : decision.reason).toBe(expected)
})

test.each([
  ['node-iptables', 'disabled', false],
  ['node-ebpf', 'disabled', false],
  ['node-iptables', 'enabled', true],
  ['inpod', 'disabled', true],
  [undefined, 'disabled', true],
] as const)(
  'for the plugin, with ambient_redirect_mode %s, a pod that says %s may be ambient: %s',
  (how, says, may) => {
    const given = {
      cniVersion: '1.0.0',
      type: 'istio-cni',
      name: 'n',
      ambient_enabled: true,
      enablement_selectors: selectors,
    }
    const conf = confSchema.parse({ ...given, ambient_redirect_mode: how })
    const metadata = { namespace: 'shop', name: 'web', annotations: { [redirection]: says } }
    const info = podInfo({ metadata, spec: { containers: [] } })
    expect(maybeAmbient(info, settingsOf(conf))).toBe(may)
  },
)
