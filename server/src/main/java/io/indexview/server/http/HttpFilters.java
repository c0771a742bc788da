package io.indexview.server.http;

import io.indexview.server.config.HttpSettings;
import org.glassfish.jersey.server.ResourceConfig;

/** What stands before and after every resource. */
public final class HttpFilters {
  private HttpFilters() {}

  /** Adds the filters to an application. */
  public static void register(HttpSettings settings, ResourceConfig application) {
    application.register(new SafeHeaders());
    application.register(OriginCheck.of(settings.address()));
    settings.token().map(TokenCheck::new).ifPresent(application::register);
    application.register(UnknownParameters.class);
  }
}
