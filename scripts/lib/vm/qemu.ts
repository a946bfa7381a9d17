import type { Kernel } from './kernel.ts'

/** Processor of the virtual machine: the hardware's processor (`kvm`) or an emulated processor (`tcg`). */
export type Accelerator = 'kvm' | 'tcg'

export const isAccelerator = (name: string): name is Accelerator => name === 'kvm' || name === 'tcg'

/** Memory of the virtual machine in megabytes. Files that the tests write stay in this memory. */
const MEMORY = 3072

/**
 * Command that starts the virtual machine without network. Its second serial port is the standard streams.
 *
 * @param options - `console`: file for the kernel's messages
 */
export function qemu(
  kernel: Kernel,
  { initrd, console, accelerator }: { initrd: string; console: string; accelerator: Accelerator },
): [string, ...string[]] {
  return [
    ...(['qemu-system-x86_64', '-nodefaults', '-no-user-config', '-no-reboot', '-display', 'none'] as const),
    ...['-machine', 'pc', '-smp', '2', '-m', String(MEMORY), '-nic', 'none', '-sandbox', 'on'],
    ...(accelerator === 'kvm'
      ? ['-accel', 'kvm', '-cpu', 'host']
      : ['-accel', 'tcg,thread=multi,tb-size=1024', '-cpu', 'max']),
    ...['-kernel', kernel.image, '-initrd', initrd, '-append', 'console=ttyS0 panic=-1'],
    ...['-serial', `file:${console}`, '-serial', 'stdio'],
    ...['-fsdev', 'local,id=host,path=/,security_model=none,readonly=on,multidevs=remap'],
    ...['-device', 'virtio-9p-pci,fsdev=host,mount_tag=host'],
  ]
}
