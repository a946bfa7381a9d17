/** Where cnitool looks for plugins when nobody says: upstream's, Debian's and Fedora's folders. */
export const DEFAULT_CNI_PATH = '/opt/cni/bin:/usr/lib/cni:/usr/libexec/cni'

/** Where cnitool looks for configuration when nobody says. */
export const DEFAULT_CONF_DIR = '/etc/cni/net.d'
