/**
 * The dashboard: pages over all tenants, and the two ways to serve them. {@link
 * dev.rota.dashboard.DashboardServer} listens by itself; {@link
 * dev.rota.dashboard.DashboardServlet} mounts in a servlet container.
 */
@NullMarked
package dev.rota.dashboard;

import org.jspecify.annotations.NullMarked;
