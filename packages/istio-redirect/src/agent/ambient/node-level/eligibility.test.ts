import { expect, test } from 'vitest'
import type { AmbientPod } from '../../../../../istio-rules/src/decide/ambient-pod.ts'
import { decideEnrolment } from '../../../../../istio-rules/src/decide/enrolment.ts'
import type { Labels } from '../../../../../istio-rules/src/decide/label-selector.ts'
import { maybeAmbient } from '../../../../../istio-rules/src/decide/skip-reason.ts'
import { podInfo } from '../../../../../istio-rules/src/pod/pod-info.ts'
import { mode, ambientPod as pod, settings } from '../../../../../istio-rules/test/ambient-pods.ts'
import { confSchema } from '../../../conf/conf.ts'
import { settingsOf } from '../../../conf/settings.ts'
import { nodeLevelSelectors as selectors } from '../../config/selectors.ts'

const ambient = { [mode]: 'ambient' }
const redirection = 'ambient.istio.io/redirection'
const nodeLevel = { ...settings, selectors, optOut: true }

test.each<[string, Partial<AmbientPod>, Labels, string]>([
  ['enrolled by the label of its namespace', {}, ambient, 'enrolled'],
  ['not selected by its own label', { labels: ambient }, {}, 'not-selected'],
  ['not selected without the label', {}, {}, 'not-selected'],
  ['not selected by another value of the label', {}, { [mode]: 'Ambient' }, 'not-selected'],
  ['enrolled although its own label is none', { labels: { [mode]: 'none' } }, ambient, 'enrolled'],
  ['not enrolled with a sidecar', { annotations: { 'sidecar.istio.io/status': '' } }, ambient, 'sidecar'],
  ['not enrolled with the annotation disabled', { annotations: { [redirection]: 'disabled' } }, ambient, 'opted-out'],
  ['enrolled with the annotation enabled', { annotations: { [redirection]: 'enabled' } }, ambient, 'enrolled'],
  ['enrolled with any other annotation', { annotations: { [redirection]: 'Disabled' } }, ambient, 'enrolled'],
  ['not enrolled on the host network', { hostNetwork: true }, ambient, 'host-network'],
  ['not enrolled as ztunnel itself', { namespace: 'istio-system', labels: { app: 'ztunnel' } }, ambient, 'ztunnel'],
  ['enrolled with the label of ztunnel in another namespace', { labels: { app: 'ztunnel' } }, ambient, 'enrolled'],
  ['not enrolled in an excluded namespace', { namespace: 'kube-system' }, ambient, 'namespace-excluded'],
  ['not enrolled after its end', { completed: true }, ambient, 'completed'],
])('with node-level redirection, a pod is %s', (_, more, labels, expected) => {
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
  'in the plugin, with ambient_redirect_mode %s, a pod with the annotation %s may be ambient: %s',
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
