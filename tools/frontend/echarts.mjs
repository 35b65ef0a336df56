/* SPDX-License-Identifier: Apache-2.0 */
// The charts and parts of ECharts that the pages draw.
import { use, init, getInstanceByDom } from "echarts/core";
import { BarChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendComponent, LegendPlainComponent, LegendScrollComponent, TooltipComponent } from "echarts/components";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer } from "echarts/renderers";

use([BarChart, LineChart, ScatterChart, GridComponent, LegendComponent, LegendPlainComponent, LegendScrollComponent, TooltipComponent, LabelLayout, CanvasRenderer]);
window.echarts = { init, getInstanceByDom };
