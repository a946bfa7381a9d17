/**
 * Ambient mode on the node as Istio 1.19 had it: tunnels and marks, or eBPF programs. Experimental.
 *
 * @module
 */

export { ebpfSide } from './ebpf/ebpf-side.ts'
export { iptablesSide } from './iptables/iptables-side.ts'
export { podEntries } from './iptables/pod-set.ts'
export type { EnrolledAddress, KernelReport, KernelSide, NodePod, NodeZtunnel } from './kernel-side.ts'
export { POD_SET, type TunnelKind, tables, tunnelKinds, tunnels } from './names.ts'
export { type NodeSettings, nodeSettings } from './network/node-settings.ts'
