package io.indexview.server;

import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import java.io.IOException;
import java.io.InputStream;

/** {@code /openapi.yaml}: the description of this API. */
@Singleton
@Path("/openapi.yaml")
public final class OpenApiResource {
  private static final String FILE = "openapi.yaml";

  @GET
  @Produces("application/yaml")
  public byte[] document() throws IOException {
    try (InputStream in = OpenApiResource.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IllegalStateException(FILE + " is not on the class path: broken build");
      }
      return in.readAllBytes();
    }
  }
}
