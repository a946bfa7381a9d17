import type { RepairConfig } from '../../src/agent/shared/deps.ts'

/** Settings of the repair controller on node `n1`, without an action. */
export const repairDefaults: RepairConfig = {
  repairPods: false,
  deletePods: false,
  labelPods: false,
  brokenPodLabelKey: 'cni.istio.io/uninitialized',
  brokenPodLabelValue: 'true',
  nodeName: 'n1',
  sidecarAnnotation: 'sidecar.istio.io/status',
  initContainerName: 'istio-validation',
  initContainerTerminationMessage: '',
  initContainerExitCode: 126,
  labelSelectors: '',
  fieldSelectors: '',
  nativeNftables: false,
  forceIptablesBinary: '',
  agentRunDir: '',
}
