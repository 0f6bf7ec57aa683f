// Search from file://, where browsers start no workers: a hidden frame takes the worker's place.
//
// The theme asks for a Worker with `postMessage` and the event "message". The frame loads the same
// script from a file, so that no inline script is needed and the page's policy stays as it is.
"use strict";

(() => {
  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      document.body.append(frame);
      this.frame = frame;
      this.scope = frame.contentWindow;
      this.scope.document.open();
      this.scope.document.write("<!doctype html><title>search</title><body></body>");
      this.scope.document.close();
      this.scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.scope.importScripts = (...urls) => // one after the other: each may use those before it
        urls.reduce((before, one) => before.then(() => this.load(one)), Promise.resolve());
      this.ready = this.load(url);
    }

    load(url) {
      return new Promise((done, failed) => {
        const script = this.scope.document.createElement("script");
        script.src = url;
        script.onload = done;
        script.onerror = () => failed(new Error(`not loaded: ${url}`));
        this.scope.document.body.append(script);
      });
    }

    postMessage(data) {
      this.ready.then(() => this.scope.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  }

  if (location.protocol === "file:") {
    window.Worker = FrameWorker;
    window.IFrameWorker = FrameWorker; // by this name the theme's script knows where it runs
  }
})();
