package example;

import static org.springframework.security.config.Customizer.withDefaults;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** Lets users of the shop order, and those who run it see the dashboard. */
@Configuration
class Security {

  @Bean
  SecurityFilterChain rules(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(
            requests ->
                requests
                    .requestMatchers("/ops/**")
                    .authenticated()
                    .anyRequest()
                    .permitAll())
        .csrf(csrf -> csrf.ignoringRequestMatchers("/orders/**"))
        .formLogin(withDefaults())
        .httpBasic(withDefaults())
        .build();
  }

  /** The roles of the dashboard are its rights. Take users from your directory instead. */
  @Bean
  UserDetailsService users() {
    return new InMemoryUserDetailsManager(
        User.withUsername("ann")
            .password("{noop}demo")
            .roles("ROTA_READ", "ROTA_REDRIVE", "ROTA_CANCEL", "ROTA_TENANT")
            .build(),
        User.withUsername("rea").password("{noop}demo").roles("ROTA_READ").build(),
        User.withUsername("max").password("{noop}demo").build());
  }
}
