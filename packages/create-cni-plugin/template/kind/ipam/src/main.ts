import { pluginMain } from '@cni/skel'
import { plugin } from './plugin.ts'

pluginMain(plugin())
