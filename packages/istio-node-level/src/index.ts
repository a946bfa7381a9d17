/**
 * Ambient mode with redirection on the node, as in Istio 1.19. Experimental.
 *
 * @module
 */

export { ebpfSide } from './ebpf/ebpf-side.ts'
export type { EbpfSideOptions } from './ebpf/ebpf-side-options.ts'
export { electZtunnel, readZtunnelPod, type ZtunnelPod } from './election.ts'
export { hostIpOf } from './host-ip.ts'
export { type IptablesSideOptions, iptablesSide } from './iptables/iptables-side.ts'
export { nodeLevelDrift } from './iptables/pod-drift.ts'
export type { KernelReport, KernelSide, NodePod, NodeZtunnel } from './kernel-side.ts'
export type { TunnelKind } from './names.ts'
export { nodeSettings } from './network/node-settings.ts'
