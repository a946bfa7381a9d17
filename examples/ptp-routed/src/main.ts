import { pluginMain } from '@cni/skel'
import { ptpRouted } from './plugin.ts'

pluginMain(ptpRouted())
