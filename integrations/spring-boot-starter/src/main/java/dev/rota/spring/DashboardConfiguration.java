package dev.rota.spring;

import dev.rota.Rota;
import dev.rota.dashboard.Dashboard;
import dev.rota.dashboard.DashboardAccess;
import dev.rota.dashboard.DashboardServlet;
import jakarta.servlet.Filter;
import java.util.function.Supplier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.web.csrf.CsrfToken;

/** Mounts the dashboard in the web server of the application, behind its security. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({DashboardServlet.class, ServletRegistrationBean.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnProperty("rota.dashboard.enabled")
final class DashboardConfiguration {

  @Bean
  @ConditionalOnMissingBean
  DashboardAccess rotaDashboardAccess() {
    return DashboardAccess.roles();
  }

  @Bean
  ServletRegistrationBean<DashboardServlet> rotaDashboard(
      Rota rota, DashboardAccess access, RotaProperties properties) {
    DashboardServlet servlet = new DashboardServlet(Dashboard.builder(rota).access(access).build());
    ServletRegistrationBean<DashboardServlet> registration =
        new ServletRegistrationBean<>(servlet, properties.getDashboard().getPath() + "/*");
    registration.setName("rotaDashboard");
    return registration;
  }

  /** Gives the forms of the dashboard the token that the security of the application asks for. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(CsrfToken.class)
  static final class OfSecurity {

    @Bean
    FilterRegistrationBean<Filter> rotaDashboardToken(RotaProperties properties) {
      FilterRegistrationBean<Filter> registration =
          new FilterRegistrationBean<>(
              (request, response, chain) -> {
                if (request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token) {
                  request.setAttribute(DashboardServlet.TOKEN_NAME, token.getParameterName());
                  request.setAttribute(
                      DashboardServlet.TOKEN_VALUE, (Supplier<String>) token::getToken);
                }
                chain.doFilter(request, response);
              });
      registration.addUrlPatterns(properties.getDashboard().getPath() + "/*");
      registration.setName("rotaDashboardToken");
      return registration;
    }
  }
}
