import type { Kernel } from '../vm/kernel.ts'

/**
 * Command that starts the emulated arm64 machine, whose console is the standard streams.
 *
 * @param options - `files`: the machine's read-only files. `console`: file for kernel messages
 */
export function qemuArm64(
  kernel: Kernel,
  { initrd, files, console }: { initrd: string; files: string; console: string },
): [string, ...string[]] {
  return [
    ...(['qemu-system-aarch64', '-nodefaults', '-no-user-config', '-no-reboot', '-display', 'none'] as const),
    ...['-machine', 'virt', '-accel', 'tcg,thread=multi,tb-size=512', '-cpu', 'cortex-a72', '-smp', '2', '-m', '1536'],
    ...['-sandbox', 'on', '-kernel', kernel.image, '-initrd', initrd, '-append', 'console=ttyAMA0 panic=-1'],
    ...['-serial', `file:${console}`, '-chardev', 'stdio,id=said,signal=off'],
    ...['-device', 'virtio-serial-pci', '-device', 'virtconsole,chardev=said'],
    ...['-netdev', 'user,id=net', '-device', 'virtio-net-pci,netdev=net,romfile='],
    ...['-fsdev', `local,id=host,path=${files},security_model=none,readonly=on,multidevs=remap`],
    ...['-device', 'virtio-9p-pci,fsdev=host,mount_tag=host'],
  ]
}
