package io.indexview.connect.kvstore;

import io.indexview.connect.common.plugin.PluginArchive;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class PluginArchiveIT {

  @Test
  void archiveHoldsThePluginButNoLibraryOfTheWorker() throws IOException {
    PluginArchive.check(
        List.of("indexview-connect-kvstore"),
        List.of("etc/kvstore-source.properties", "etc/kvstore-sink.properties"));
  }

  @Test
  void archiveNamesTheLicencesOfItsLibraries() throws IOException {
    PluginArchive.checkLicences();
  }

  @Test
  void archiveManifestNamesVersionAndComponents() throws IOException {
    PluginArchive.checkManifest("indexview-connect-kvstore", List.of("source", "sink"));
  }
}
